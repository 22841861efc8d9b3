/** Turns the reading direction of what follows. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text of others on one line: it must not move the cursor, colour the terminal or turn the reading direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(DIRECTION, '')
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n')
}
