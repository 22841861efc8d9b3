/** Returns undefined for text that is not JSON. The parser's error is dropped, because its message can quote the text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const MAX_OBJECT_DEPTH = 100

/**
 * Returns undefined for text that is not a JSON object, and for one with more than 100 levels: `JSON.parse` reads any depth,
 * and `JSON.stringify` and most other code that walks through a value throw at some thousands.
 */
export function tryParseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = tryParseJson(text)
  return isRecord(value) && !isDeeper(value, MAX_OBJECT_DEPTH) ? value : undefined
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
