import { usageError } from '../../../../command/hinted-error.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { type Connection, quoteName, quoteText } from '../connection.ts'
import { changeTable } from './change-table.ts'
import { createTrigger, hasTrigger } from './clearing-trigger.ts'
import { type Mark, writeMark } from './column-mark.ts'
import { columnNameFor } from './column-name.ts'
import type { SwitchTable, VectorColumn } from './vector-columns.ts'

/** The largest vector that an index takes; halfvec takes twice as many dimensions. */
const MAX_INDEXED_VECTOR = 2_000

export type Model = { readonly name: string; readonly dimensions: number }

/** The column that questions use after the switch. */
export type NewColumn = {
  readonly name: string
  readonly type: VectorColumn['type']
  readonly dimensions: number
  readonly text: readonly string[]
  /** Undefined while the table has no such column. */
  readonly existing: VectorColumn | undefined
}

/** Finds the column that an earlier run marked for the model, or names a new one. */
export function planColumn(
  { shown, columnNames }: SwitchTable,
  columns: readonly VectorColumn[],
  from: VectorColumn,
  model: Model,
  text: readonly string[] | undefined,
): NewColumn {
  const existing = columns.find(({ name, mark }) => mark?.model === model.name && name !== from.name)
  const name = existing?.name ?? columnNameFor(model.name)
  if (!existing && columnNames.includes(name)) {
    throw usageError(`${shown} has a column ${name} that svc did not make. Rename it or drop it, then run this again.`)
  }
  const type = existing?.type ?? (model.dimensions > MAX_INDEXED_VECTOR ? 'halfvec' : from.type)
  const size = existing?.dimensions ?? model.dimensions
  if (size !== model.dimensions) {
    throw usageError(`${model.name} makes vectors of ${model.dimensions} dimensions, and ${name} takes ${size}.`)
  }
  return { name, type, dimensions: size, text: sameText(existing, shown, text), existing }
}

function sameText(existing: VectorColumn | undefined, shown: string, text: readonly string[] | undefined) {
  const before = existing?.mark?.text
  if (!text && !before) throw usageError('--text is missing.')
  if (text && before && text.join('\n') !== before.join('\n')) {
    throw usageError(
      `The column ${existing.name} of ${shown} was filled from ${before.join(', ')}, not from ${text.join(', ')}. Name the same columns, or drop it first with --drop-old.`,
    )
  }
  return text ?? before!
}

/** Adds what is missing: the column, the marks of both columns and the trigger of the new one. */
export async function prepareColumn(
  db: Connection,
  table: SwitchTable,
  { from, fromModel, to, model }: { from: VectorColumn; fromModel: string; to: NewColumn; model: Model },
  cli: Pick<Cli, 'progress'>,
): Promise<void> {
  const type = `${table.extension}.${to.type}(${to.dimensions})`
  // A column without a text in its mark has the trigger of a run that named other columns, if it has one.
  const hasOwnTrigger = to.existing?.mark?.text !== undefined && (await hasTrigger(db, table, to.name))
  const trigger = hasOwnTrigger ? [] : createTrigger(table, to.name, to.text)
  await changeTable(
    db,
    table,
    [
      ...(to.existing ? [] : [`alter table ${table.quoted} add column ${quoteName(to.name)} ${type}`]),
      ...markColumn(table, to.name, to.existing, { model: model.name, text: [...to.text] }),
      ...(from.mark?.model === fromModel ? [] : markColumn(table, from.name, from, { model: fromModel })),
      ...trigger,
    ],
    cli,
  )
}

function markColumn(table: SwitchTable, name: string, column: VectorColumn | undefined, mark: Mark): string[] {
  const comment = writeMark(column?.comment ?? null, mark)
  if (comment === column?.comment) return []
  return [`comment on column ${table.quoted}.${quoteName(name)} is ${quoteText(comment)}`]
}
