/** Writes one line of JSON, which svc reads the level from. */
export function log(level, message, fields = {}) {
  process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`)
}
