import type { Cli } from '../../../../terminal/cli.ts'
import type { Opened } from '../options.ts'
import { changeTable } from './change-table.ts'
import { createTrigger, dropTrigger, hasTrigger } from './clearing-trigger.ts'
import { type ColumnToFill, fillColumn } from './fill-column.ts'
import { findColumnsInUse } from './in-use.ts'
import { findVectorColumns } from './vector-columns.ts'

/**
 * Moves the trigger to the columns that questions no longer use, so that a switch back finds no vectors of former texts,
 * and fills rows that were changed meanwhile. Returns how many.
 */
export async function finishSwitch(opened: Opened, used: ColumnToFill, cli: Cli): Promise<number> {
  const { db } = opened
  const { table, text } = used
  const { columns } = await findColumnsInUse(opened, table.oid)
  const statements: string[] = []
  for (const { name, mark } of await findVectorColumns(db, table)) {
    const isInUse = columns.some(({ column }) => column === name)
    const isCleared = await hasTrigger(db, table, name)
    if (isInUse && isCleared) statements.push(...dropTrigger(table, name))
    if (!isInUse && !isCleared && mark) statements.push(...createTrigger(table, name, mark.text ?? text))
  }
  await changeTable(db, table, statements, cli)
  return await fillColumn(opened, used, cli)
}
