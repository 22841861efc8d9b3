export const SUBJECT_LENGTH = 200

// Control characters cannot all be stored; turned direction and invisible tags show people other text than agents read.
const UNSEEN = /[\s\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e007f}]+/gu

/** Subjects carry what people typed, such as the title of a ticket: they leave as one short line. */
export function subjectLine(text: string): string {
  const line = Array.from(text.replace(UNSEEN, ' ').trim())
  return line.length <= SUBJECT_LENGTH ? line.join('') : `${line.slice(0, SUBJECT_LENGTH - 1).join('')}…`
}
