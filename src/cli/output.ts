import { toYaml } from '#contract/core/yaml.ts'
import type { Cli } from './cli.ts'
import type { Format } from './command.ts'
import { toTable } from './table.ts'

/** Control and direction characters that JSON and YAML allow unescaped but a terminal interprets. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Prints `document` as JSON or YAML, or `lines` for people. */
export function show(cli: Cli, format: Format, document: unknown, lines: () => string | readonly string[]): void {
  const shown = { json: () => toJson(document), yaml: () => escapeUnsafe(toYaml(document).trimEnd()), table: lines }[
    format
  ]()
  if (shown.length > 0) cli.printPaged(shown)
}

type ListTable<T> = {
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
  return escapeUnsafe(JSON.stringify(value, null, 2))
}

/** Escapes control and direction characters. Works for JSON and for YAML, whose strings are quoted the same way. */
function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
