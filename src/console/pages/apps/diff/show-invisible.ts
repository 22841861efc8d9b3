/** Controls, marks that change the direction of what follows, and others without a shape of their own. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Writes invisible characters as their code, so that a reviewer reads what the machine runs. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    if (character === '\t' || character === '\r') return character
    return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
