import { printable } from './printable.ts'

const GAP = '  '
/** Columns are not cut below this width, because the rest would be unreadable. */
const MIN_COLUMN_WIDTH = 8

/** Lays out a table. Columns are as wide as their widest cell, or cut to fit `columns`. The first is never cut. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[], columns?: number): string[] {
  const lines = [header, ...rows.map((row) => row.map(printable))]
  const fullWidths = header.map((_, column) => Math.max(...lines.map((row) => widthOf(row[column] ?? ''))))
  const widths = columns === undefined ? fullWidths : fitWidths(fullWidths, columns)
  return lines.map((row) =>
    row
      .map((cell, column) => pad(cut(cell, widths[column]!), widths[column]!))
      .join(GAP)
      .trimEnd(),
  )
}

/** Lays out labels and values, one pair per line. */
export function toPairs(pairs: readonly (readonly [string, string])[]): string[] {
  return toTable(['', ''], pairs).slice(1)
}

/** Narrows the widest column, one character at a time, until the line fits or no column can be narrower. */
function fitWidths(fullWidths: readonly number[], columns: number): number[] {
  const widths = [...fullWidths]
  let over = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns
  for (; over > 0; over--) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= MIN_COLUMN_WIDTH) break
    widths[widths.lastIndexOf(widest)]! -= 1
  }
  return widths
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
