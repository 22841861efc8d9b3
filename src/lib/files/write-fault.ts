const FULL = 'the disk is full; free some space'
const READ_ONLY = 'the disk is read-only; make it writable'

/** Returns why the disk refuses writes, read from an error of Node, the embedded engine or Postgres, or undefined. */
export function writeFaultOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const { message } = error
  // A database error can quote a caller's value, so its text is matched only in the form of a file error.
  if ('severity' in error) {
    if (code === '53100') return FULL
    return code === '42501' && /^could not .* file .*: Read-only file system$/.test(message) ? READ_ONLY : undefined
  }
  const text = `${code} ${message}`
  if (code === '53100' || /\b(?:ENOSPC|EDQUOT)\b|No space left on device|database or disk is full/.test(text))
    return FULL
  return /\bEROFS\b|Read-only file system|attempt to write a readonly database/.test(text) ? READ_ONLY : undefined
}
