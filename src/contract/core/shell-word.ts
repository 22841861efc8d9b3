/** Characters that a terminal obeys, or that make a line look like another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const UNSEEN_OR_QUOTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\']/gu

/**
 * Quotes a word for a POSIX shell, unless it has only characters that no shell interprets. Control characters are
 * escaped, because a terminal obeys them when a command is pasted: Ctrl-C ends the line and runs what follows.
 */
export function shellWord(text: string): string {
  if (/^[\w.,/:=@-]+$/.test(text)) return text
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${text.replace(UNSEEN_OR_QUOTING, escaped)}'`
}

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** Writes an option with its value. A value that begins with a dash would otherwise be read as an option. */
export function shellOption(name: string, value: string): string {
  return `--${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`
}
