/** Levels of nesting that a JSON value of a caller may have. Deeper ones would overflow the stack of recursive code. */
export const MAX_JSON_DEPTH = 64

/** Whether a parsed JSON value is nested no deeper than the limit. */
export function isShallow(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return false
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return true
}
