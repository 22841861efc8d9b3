import { findHiddenText, showCode } from '#contract/core/show-invisible.ts'

/** Longer lines are cut or wrapped differently by every program that shows them. */
const MAX_LINE_CHARACTERS = 500

/**
 * The blocks whose characters Unicode writes from right to left. A browser reorders them and what stands beside them, and
 * most terminals do not. \p{} has no property for it.
 */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Signs that are drawn only by joining their neighbours, and as nothing or as a circle elsewhere. */
const STACKERS =
  /[\u1039\u17d2\u1a60\u1bab\uaaf6\u{10a3f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11d45}\u{11d97}\u{11f42}]/u

/**
 * Runs of blanks and tabs together that push what follows out of sight, though neither is long by itself. The rule of
 * `findHiddenText` for each of them holds for the sum.
 */
const LONG_MIXED_BLANK = /[ \t]{61,}|(?: *\t){21,}/

/** A tab behind a blank in an indent ends at the same column as without the blank, and can mean something else. */
const DISGUISED_INDENT = /^[ \t]* \t/

/**
 * Returns what a line has that not every program shows alike, as the object of "the line has", or undefined. This is the
 * one rule for lines that a proposal adds: console, client and API show them, and a reader sees what is deployed.
 */
export function findLineFault(line: string): string | undefined {
  const { length } = Array.from(line)
  if (length > MAX_LINE_CHARACTERS)
    return `a line of ${length} characters, and at most ${MAX_LINE_CHARACTERS} are shown`
  const hidden = findHiddenText(line) ?? codeIn(line, STACKERS)
  if (hidden !== undefined) return `text that a reader does not see: ${hidden}`
  const blank = LONG_MIXED_BLANK.exec(line)?.[0]
  if (blank !== undefined) return `text that a reader does not see: ${blank.length} blanks and tabs`
  if (DISGUISED_INDENT.test(line)) return 'text that looks like other text: a tab behind a blank in the indent'
  const turned = codeIn(line, RIGHT_TO_LEFT)
  if (turned !== undefined) return `text that is written from right to left: ${turned}`
  const disguised = findDisguised(line)
  return disguised === undefined ? undefined : `text that looks like other text: ${disguised}`
}

function codeIn(line: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(line)?.[0]
  return found === undefined ? undefined : showCode(found)
}

/** Finds characters that look like others because they mean the same to Unicode, such as the Greek question mark `;`. */
function findDisguised(line: string): string | undefined {
  const normal = line.normalize('NFC')
  if (normal === line) return undefined
  const characters = Array.from(line)
  const others = Array.from(normal)
  return showCode(characters.find((character, index) => character !== others[index]) ?? characters.at(-1)!)
}
