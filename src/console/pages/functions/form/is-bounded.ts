const MAX_DEPTH = 16
const MAX_VALUES = 2_000
/** Characters of all names and texts of a schema. The server accepts schemas of 32 KiB. */
const MAX_CHARACTERS = 32 * 1024

/**
 * Whether a schema is small enough to make a form of. It was written by the author of an app, and the limits of the
 * server protect the server, not the page.
 */
export function isBounded(schema: unknown): boolean {
  const left = { values: MAX_VALUES, characters: MAX_CHARACTERS }
  return fits(schema, MAX_DEPTH, left)
}

function fits(value: unknown, depth: number, left: { values: number; characters: number }): boolean {
  left.values -= 1
  if (typeof value === 'string') left.characters -= value.length
  if (left.values < 0 || left.characters < 0 || depth < 0) return false
  if (typeof value !== 'object' || value === null) return true
  for (const [name, part] of Object.entries(value)) {
    left.characters -= name.length
    if (!fits(part, depth - 1, left)) return false
  }
  return true
}
