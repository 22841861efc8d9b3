import { RE2JS } from 're2js'

const MAX_PATTERN_LENGTH = 500
/** Instructions of a compiled pattern. Matching takes time in proportion to them and to the length of the text. */
const MAX_PROGRAM_SIZE = 1_000
/** A longer text is refused where a pattern is given. */
export const MAX_MATCHED_LENGTH = 4_096

export type Pattern = { readonly programSize: number; matches(text: string): boolean }

/** Compiles a pattern for RE2, which has no backtracking. Returns the reason if it cannot be used. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(source)
  } catch {
    return 'is not a pattern that RE2 accepts; it has no look-ahead, no back-references and no large repetitions'
  }
  const programSize = compiled.programSize()
  if (programSize > MAX_PROGRAM_SIZE) return 'is too complex'
  return { programSize, matches: (text) => compiled.matcher(text).find() }
}
