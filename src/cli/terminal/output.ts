import { INVISIBLE_CHARACTER } from '#contract/core/show-invisible.ts'
import { toYaml } from '#contract/core/yaml.ts'
import type { Format } from '../command/command.ts'
import type { Cli } from './cli.ts'
import { toTable } from './table.ts'

/** Control and direction characters that YAML allows unescaped but a terminal interprets. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Prints `document` as JSON or YAML, or `lines` for people. */
export function show(cli: Cli, format: Format, document: unknown, lines: () => string | readonly string[]): void {
  const shown = { json: () => toJson(document), yaml: () => escapeUnsafe(toYaml(document).trimEnd()), table: lines }[
    format
  ]()
  if (shown.length > 0) cli.printPaged(shown)
}

export type ListTable<T> = {
  header: readonly string[]
  row: (item: T) => readonly string[]
  /** Headings of the columns that may be cut to fit the terminal, in the order in which they are cut. */
  cut?: readonly string[]
  /** Printed in place of an empty list. */
  none: string
}

/** Prints a list as a table. An empty list prints `none` to stderr instead. */
export function showList<T>(
  cli: Cli,
  format: Format,
  list: { items: readonly T[]; next_cursor?: string | null },
  table: ListTable<T>,
): void {
  if (list.items.length === 0) cli.note(table.none)
  show(cli, format, list, () => {
    if (list.items.length === 0) return []
    const { columns, strong } = cli
    return toTable(table.header, list.items.map(table.row), { columns, cut: table.cut, strong })
  })
  if (typeof list.next_cursor === 'string') cli.note('There are more. Show them with --limit.')
}

export function toJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, null, 2))
}

/** As `toJson`, on one line. */
export function toJsonLine(value: unknown): string {
  return escapeInvisible(JSON.stringify(value))
}

/** Escapes what a reader does not see. The document means the same. */
function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE_CHARACTER, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** Escapes control and direction characters in YAML, which has them in quoted strings only. */
function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
