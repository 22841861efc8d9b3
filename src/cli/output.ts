import { type Command, Option } from 'commander'

export type Format = 'table' | 'json'

/** Every command that prints data takes both spellings. */
export function addOutputOptions(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
    .addOption(new Option('--json', 'the same as -o json').implies({ output: 'json' }))
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Columns as wide as their widest cell; the last one is not padded. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map(printable))
  const widths = header.map((_, column) => Math.max(...[header, ...clean].map((row) => widthOf(row[column] ?? ''))))
  return [header, ...clean].map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Label and value, one pair a line. */
export function toPairs(pairs: readonly (readonly [string, string])[]): string[] {
  return toTable(['', ''], pairs).slice(1)
}

/** Text of others must not move the cursor, colour the terminal or turn the reading direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
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
