import { stripVTControlCharacters } from 'node:util'
import { MAX_LOG_LINE_BYTES } from '#contract/apps/logs.ts'

// Control characters but tab could forge other lines or move the cursor of a terminal that shows the log; the others
// reorder or hide text.
const UNSAFE = /(?!\t)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const PLAIN = /^[\t\x20-\x7e]*$/

/** Makes a line that is safe to store and to show: valid text without control characters, of bounded size. */
export function cleanLine(text: string): string {
  // Most lines are plain, and looking for one range is several times faster.
  if (PLAIN.test(text)) return cutLine(text)
  return cutLine(stripVTControlCharacters(text.toWellFormed().replace(/\r$/, '')).replace(UNSAFE, '\ufffd'))
}

function cutLine(text: string): string {
  const size = Buffer.byteLength(text)
  if (size <= MAX_LOG_LINE_BYTES) return text
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_LOG_LINE_BYTES)).replace(/\ufffd+$/, '')
  return `${kept}… (${size - Buffer.byteLength(kept)} bytes cut)`
}
