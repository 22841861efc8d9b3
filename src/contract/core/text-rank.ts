/** The rank of a name that does not contain the typed text. */
export const NO_MATCH = 4

/**
 * Ranks how well the best of the names fits a typed text, in any case: 0 is the text, 1 begins with it, 2 has a word that
 * begins with it, 3 contains it.
 */
export function rankText(names: readonly string[], text: string): number {
  const typed = text.trim().toLowerCase()
  return Math.min(...names.map((name) => rankName(name.toLowerCase(), typed)))
}

function rankName(name: string, typed: string): number {
  const at = name.indexOf(typed)
  if (at < 0) return NO_MATCH
  if (at === 0) return name.length === typed.length ? 0 : 1
  return /[\p{L}\p{N}]/u.test(name[at - 1]!) ? 3 : 2
}
