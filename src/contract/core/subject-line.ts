const MAX_SUBJECT_CHARACTERS = 200

// Bidirectional controls and invisible tag characters make a line read differently to people than to agents.
const INVISIBLE = /[\s\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e007f}]+/gu

/** Turns text that people typed, such as the title of a ticket, into one visible line of at most 200 characters. */
export function subjectLine(text: string): string {
  const visible = text.replace(INVISIBLE, ' ').trim()
  // A character takes one or two code units, so a line with so few of them is short enough.
  if (visible.length <= MAX_SUBJECT_CHARACTERS) return visible
  const line = Array.from(visible)
  return line.length <= MAX_SUBJECT_CHARACTERS
    ? line.join('')
    : `${line.slice(0, MAX_SUBJECT_CHARACTERS - 1).join('')}…`
}
