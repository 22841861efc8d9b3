import type { Range } from './ranges.ts'

const RUN = /(?<![\w+/=-])[\w+/=-]{40,4096}/g
/** Bits per character. Identifiers and words have about 4, random Base64 of this length about 4.8. */
const MIN_ENTROPY = 4.4
/** Paths have a slash every few characters, Base64 one in 64. */
const CHARACTERS_PER_SLASH = 24

/** Finds long runs of characters that look random, such as keys without a known shape and lines of a key in Base64. */
export function findRandomText(text: string): Range[] {
  return [...text.matchAll(RUN)]
    .filter(([run]) => isRandom(run))
    .map((match): Range => [match.index, match.index + match[0].length])
}

/** Whether a value that stands behind a name looks like a key: a UUID, or letters and digits without a word of prose. */
export function looksRandom(value: string): boolean {
  if (UUID.test(value)) return true
  return (
    /^[\w.+/=~:|@%-]{14,400}$/.test(value) && /\d.*\d/.test(value) && /[a-z]/i.test(value) && entropyOf(value) >= 3.2
  )
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

function isRandom(run: string): boolean {
  if (!/\d/.test(run) || !/[a-z]/.test(run) || !/[A-Z]/.test(run)) return false
  const slashes = run.split('/').length - 1
  return slashes <= run.length / CHARACTERS_PER_SLASH && entropyOf(run) >= MIN_ENTROPY
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}
