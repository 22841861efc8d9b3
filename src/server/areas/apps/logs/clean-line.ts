import { MAX_LOG_LINE_BYTES } from '#contract/apps/logs.ts'

// Control characters but tab could forge other lines or move the cursor of a terminal that shows the log; the others
// reorder or hide text.
const UNSAFE = /(?!\t)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Control sequences of terminals. No part of one may contain the beginning of the next: otherwise each beginning would be
 * searched to the end of the line, in quadratic time, and an app could stop the process with one line.
 */
const SEQUENCES = new RegExp(
  [
    // A sequence of parameters, such as a colour.
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // A text with a terminator, such as a title or a link.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'g',
)
/** Characters that are looked at. A line that is longer is cut to MAX_LOG_LINE_BYTES, whatever is removed before that. */
const MAX_CLEANED_LENGTH = 4 * MAX_LOG_LINE_BYTES

const PLAIN = /^[\t\x20-\x7e]*$/

/** Makes a line that is safe to store and to show: valid text without control characters, of bounded size. */
export function cleanLine(text: string): string {
  // Most lines are plain, and looking for one range is several times faster.
  if (PLAIN.test(text)) return cutLine(text, 0)
  const head = text.slice(0, MAX_CLEANED_LENGTH).toWellFormed()
  const cleaned = head.replace(/\r$/, '').replace(SEQUENCES, '').replace(UNSAFE, '\ufffd')
  return cutLine(cleaned, Buffer.byteLength(text) - Buffer.byteLength(head))
}

/** Cuts a line to its limit and says how much is missing, with the bytes that were not looked at. */
function cutLine(text: string, unreadBytes: number): string {
  const size = Buffer.byteLength(text)
  if (size <= MAX_LOG_LINE_BYTES && unreadBytes <= 0) return text
  // `stream` leaves out the character that the cut goes through.
  const fittingText = new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_LOG_LINE_BYTES), { stream: true })
  return `${fittingText}… (${size - Buffer.byteLength(fittingText) + unreadBytes} bytes cut)`
}
