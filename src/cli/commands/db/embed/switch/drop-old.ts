import { askToConfirm } from '../../../../call/client-command.ts'
import { HintedError, usageError } from '../../../../command/hinted-error.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { show } from '../../../../terminal/output.ts'
import { quoteName } from '../connection.ts'
import type { EmbedFlags, Opened } from '../options.ts'
import { changeTable } from './change-table.ts'
import { dropTrigger } from './clearing-trigger.ts'
import { findColumnsInUse } from './in-use.ts'
import { findSwitchTable, findVectorColumns } from './vector-columns.ts'

/** Drops the vector columns that a switch left behind: those with the mark of svc that no entry searches. */
export function dropping(flags: EmbedFlags, cli: Cli) {
  const { table: tableName, output, yes } = flags
  if (tableName === undefined) throw usageError('--table is missing.')
  return async (opened: Opened): Promise<void> => {
    const table = await findSwitchTable(opened.db, tableName)
    const { source_id, columns } = await findColumnsInUse(opened, table.oid)
    if (columns.length === 0) throw notSearched(source_id, table.shown)
    const marked = (await findVectorColumns(opened.db, table)).filter(({ mark }) => mark !== undefined)
    const old = marked.filter(({ name }) => !columns.some(({ column }) => column === name))
    if (old.length === 0) throw usageError(`${table.shown} has no vector column that a switch left behind.`)
    const list = old.map(({ name, mark }) => `${name} (${mark!.model})`).join(', ')
    await askToConfirm(cli, yes, `This drops ${list} of ${table.shown}, and the way back to it`)
    const statements = old.flatMap(({ name }) => [
      ...dropTrigger(table, name),
      `alter table ${table.quoted} drop column ${quoteName(name)}`,
    ])
    await changeTable(opened.db, table, statements, cli)
    const document = {
      table: table.shown,
      dropped: old.map(({ name, mark }) => ({ column: name, model: mark!.model })),
    }
    show(cli, output, document, () => `Dropped ${list} of ${table.shown}.`)
  }
}

/** Without an entry nothing says which of the columns is the old one. */
function notSearched(sourceId: string, table: string): HintedError {
  return new HintedError(
    'CONFLICT',
    `No entry of ${sourceId} searches ${table}, so it is not certain which of its columns is old.`,
    'Drop the column with SQL if you no longer need it.',
  )
}
