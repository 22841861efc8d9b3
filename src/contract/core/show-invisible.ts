/** A part of a line that a reader would not see, or not see as what it is. */
type InvisibleRange = {
  readonly start: number
  readonly end: number
  /** Shown in its place, such as `‹U+200B›` or `‹U+0020×40›`. */
  readonly code: string
}

/**
 * Characters without a shape of their own, or whose shape depends on the font: controls, formats and direction marks,
 * halves of characters, private and unassigned ones, line separators, spaces but the ASCII one, everything that Unicode
 * lets a program ignore (fillers, joiners, variation selectors, tags), and blanks that Unicode calls symbols or letters.
 */
const INVISIBLE = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800\u2d7f\ufffc\u{1107f}\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}`
/** One such character. Tabs and line ends of JSON and the like are none. */
export const INVISIBLE_CHARACTER = new RegExp(String.raw`(?![\t\n\r])(?:${INVISIBLE})`, 'gu')

/** Marks that stand on no letter, and all but the first four on one letter, which would cover the lines around them. */
const STACKED_MARKS = String.raw`^\p{M}|(?<=\p{M}{4})\p{M}`
/** Longer runs push what follows out of sight. Indentation and aligned comments are shorter. */
const MAX_SPACES = 60
const MAX_TABS = 20

const LONG_BLANK = ` {${MAX_SPACES + 1},}|\\t{${MAX_TABS + 1},}`
const IN_LINE = new RegExp(
  // A quotation mark before `U+` could pass for the beginning of a code.
  String.raw`((?!\t)(?:${INVISIBLE})|${STACKED_MARKS})\1*|${LONG_BLANK}|(?<= )\t+|‹(?=U\+)`,
  'gu',
)
const AT_END = / +|\t+/g

/** Finds what a reader of one line does not see: invisible characters, long blanks, and blanks at its end. */
export function findInvisible(line: string): InvisibleRange[] {
  const end = line.endsWith('\r') ? line.length - 1 : line.length
  let trailing = end
  while (trailing > 0 && (line[trailing - 1] === ' ' || line[trailing - 1] === '\t')) trailing--
  return [
    ...rangesOf(line.slice(0, trailing), IN_LINE, 0),
    ...rangesOf(line.slice(trailing, end), AT_END, trailing),
    ...rangesOf(line.slice(end), IN_LINE, end),
  ]
}

function rangesOf(text: string, pattern: RegExp, offset: number): InvisibleRange[] {
  return Array.from(text.matchAll(pattern), ({ 0: run, index }) => ({
    start: offset + index,
    end: offset + index + run.length,
    code: showCode(run),
  }))
}

/** Writes equal characters as a code, such as `‹U+200B›` or `‹U+0020×40›`. */
export function showCode(run: string): string {
  const character = run.codePointAt(0)!
  const count = run.length / String.fromCodePoint(character).length
  const hex = character.toString(16).toUpperCase().padStart(4, '0')
  return `‹U+${hex}${count > 1 ? `×${count}` : ''}›`
}

/**
 * Writes what a reader of one line does not see as codes. Two different lines never become the same text, so that a
 * reviewer reads what the machine runs.
 */
export function showInvisible(line: string): string {
  let shown = ''
  let from = 0
  for (const { start, end, code } of findInvisible(line)) {
    shown += line.slice(from, start) + code
    from = end
  }
  return shown + line.slice(from)
}

const HIDDEN = new RegExp(String.raw`(?!\t)(?:${INVISIBLE})|${LONG_BLANK}|${STACKED_MARKS}`, 'u')

/**
 * Returns the code of the first thing in a line that no source needs and a reader does not see, or undefined. Tabs and
 * short blanks are no such thing.
 */
export function findHiddenText(line: string): string | undefined {
  const found = HIDDEN.exec(line)?.[0]
  return found === undefined ? undefined : showCode(found)
}
