import { printable } from './printable.ts'

const GAP = '  '
/** Columns are not cut below this width, because the rest would be unreadable. */
const MIN_COLUMN_WIDTH = 8

type Style = {
  /** Width of the terminal. Undefined if the table may be as wide as it needs. */
  columns?: number | undefined
  /** Headings of the columns that may be cut to fit the terminal, in the order in which they are cut. */
  cut?: readonly string[] | undefined
  /** Marks the line of headings. */
  strong?: (text: string) => string
}

/**
 * Lays out a table. Columns are as wide as their widest cell. If they do not fit the terminal, those that may be cut
 * are, and if that is not enough, each row becomes a block of lines, so that an id can always be copied.
 */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[], style: Style = {}): string[] {
  const cells = rows.map((row) => row.map(printable))
  const fullWidths = header.map((name, column) => Math.max(...[name, ...cells.map((row) => row[column]!)].map(widthOf)))
  const widths = fitWidths(header, fullWidths, style)
  if (!widths) return toBlocks(header, cells, style)
  const [heading, ...lines] = [header, ...cells].map((row) =>
    row
      .map((cell, column) => pad(cut(cell, widths[column]!), widths[column]!))
      .join(GAP)
      .trimEnd(),
  )
  return [style.strong?.(heading!) ?? heading!, ...lines]
}

export type Pair = readonly [label: string, value: string | null | undefined]

/** Lays out labels and values, one pair per line. Pairs without a value are left out. */
export function toPairs(pairs: readonly Pair[]): string[] {
  const rows = pairs.flatMap(([label, value]) => (value === null || value === undefined ? [] : [[label, value]]))
  return toTable(['', ''], rows).slice(1)
}

/** Lays out each row as a block of lines. Values of columns that may be cut are cut to the rest of their line. */
function toBlocks(header: readonly string[], rows: readonly (readonly string[])[], style: Style): string[] {
  const labelWidth = Math.max(...header.map(widthOf)) + GAP.length
  const room = Math.max(MIN_COLUMN_WIDTH, (style.columns ?? Number.POSITIVE_INFINITY) - labelWidth)
  return rows.flatMap((row, place) => {
    const pairs = header.map((name, column) => {
      const value = row[column]!
      return [name, style.cut?.includes(name) ? cut(value, room) : value] as const
    })
    return [...(place === 0 ? [] : ['']), ...toPairs(pairs)]
  })
}

/** Narrows the columns that may be cut until the line fits. Undefined if it does not fit anyway. */
function fitWidths(header: readonly string[], fullWidths: readonly number[], style: Style): number[] | undefined {
  const widths = [...fullWidths]
  const lineWidth = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
  let over = lineWidth - (style.columns ?? lineWidth)
  for (const name of style.cut ?? []) {
    const column = header.indexOf(name)
    const spare = Math.max(0, Math.min(over, widths[column]! - MIN_COLUMN_WIDTH))
    widths[column]! -= spare
    over -= spare
  }
  return over > 0 ? undefined : widths
}

function cut(cell: string, width: number): string {
  if (widthOf(cell) <= width) return cell
  let shown = ''
  let used = 1
  for (const character of cell) {
    used += widthOfCharacter(character)
    if (used > width) break
    shown += character
  }
  return `${shown}…`
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u

function widthOfCharacter(character: string): number {
  if (/[\p{M}\p{Cf}]/u.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}
