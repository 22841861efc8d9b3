import type { Cli } from '../../../../terminal/cli.ts'
import { type Connection, quoteName } from '../connection.ts'
import type { Filling } from '../fill.ts'
import { fillWithBar } from '../fill-with-bar.ts'
import { findTable } from '../find-table.ts'
import type { Opened } from '../options.ts'
import { countRows } from '../rows.ts'
import type { SwitchPlan } from './plan.ts'
import type { SwitchTable } from './vector-columns.ts'

export type ColumnToFill = {
  readonly table: SwitchTable
  readonly column: string
  readonly model: string
  readonly text: readonly string[]
}

export async function fillingOf(
  { client, db }: Opened,
  { table, column, model, text }: ColumnToFill,
): Promise<Omit<Filling, 'onProgress'>> {
  return { client, db, model, table: await findTable(db, { table: table.quoted, text, column }) }
}

/** Fills the rows without a vector and returns how many got one. */
export async function fillColumn(opened: Opened, to: ColumnToFill, cli: Cli): Promise<number> {
  const filling = await fillingOf(opened, to)
  const { rows, empty } = await countRows(opened.db, filling.table)
  return rows === empty ? 0 : (await fillWithBar(filling, rows - empty, cli)).embedded
}

/** Counts the rows that have a text and no vector of the new model. */
export async function countToFill(db: Connection, { table, from, to }: SwitchPlan): Promise<number> {
  const { text } = await findTable(db, { table: table.quoted, text: to.text, column: from.name })
  const [row] = await db.query<{ rows: number }>(
    `select count(*)::int as rows from ${table.quoted} t
     where ${text} <> '' ${to.existing ? `and t.${quoteName(to.name)} is null` : ''}`,
  )
  return row!.rows
}
