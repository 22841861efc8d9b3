import type { Range } from './ranges.ts'

const BEGIN = /-----BEGIN[A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----/g
const END = '-----END '
/** Longer than any key. What follows a key without an end, such as one in a log that was cut, is hidden up to here. */
const MAX_CHARACTERS = 16_000
const MAX_END_LINE = 80

/** Finds private keys in PEM, from their first line to their last, however their lines are broken. */
export function findPrivateKeys(text: string): Range[] {
  const found: Range[] = []
  for (const { index } of text.matchAll(BEGIN)) {
    // A key inside another one is hidden with it. This also keeps the search linear.
    if (index < (found.at(-1)?.[1] ?? 0)) continue
    const part = text.slice(index, index + MAX_CHARACTERS)
    const end = part.indexOf(END)
    const close = end < 0 ? -1 : part.indexOf('-----', end + END.length)
    const isClosed = close >= 0 && close - end <= MAX_END_LINE
    found.push([index, index + (isClosed ? close + '-----'.length : part.length)])
  }
  return found
}
