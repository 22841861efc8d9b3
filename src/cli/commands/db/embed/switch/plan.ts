import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { HintedError, usageError } from '../../../../command/hinted-error.ts'
import { findDimensions } from '../find-model.ts'
import { findTable } from '../find-table.ts'
import type { Opened } from '../options.ts'
import { type ColumnInUse, findColumnsInUse } from './in-use.ts'
import { type Model, type NewColumn, planColumn } from './new-column.ts'
import { findSwitchTable, findVectorColumns, type SwitchTable, type VectorColumn } from './vector-columns.ts'

export type SwitchOptions = {
  readonly table: string
  readonly text: readonly string[] | undefined
  /** The column that is replaced. Undefined: the only one that entries of the table use. */
  readonly column: string | undefined
  readonly model: string
}

export type SwitchPlan = {
  readonly source_id: string
  readonly exposed: boolean
  readonly table: SwitchTable
  readonly from: VectorColumn
  readonly fromModel: string
  readonly to: NewColumn
  readonly model: Model
}

/** Questions use the model already. `text` is undefined if nothing says what fills the column. */
export type DonePlan = Pick<SwitchPlan, 'source_id' | 'table'> & {
  readonly isDone: true
  readonly column: string
  readonly model: string
  readonly text: readonly string[] | undefined
}

/** Reads everything that the switch depends on and changes nothing. Throws if it cannot be made. */
export async function planSwitch(opened: Opened, options: SwitchOptions): Promise<SwitchPlan | DonePlan> {
  const { client, db } = opened
  const table = await findSwitchTable(db, options.table)
  const { source_id, exposed, columns } = await findColumnsInUse(opened, table.oid)
  const used = chooseColumn(columns, options, source_id, table.shown)
  const vectors = await findVectorColumns(db, table)
  const from = vectors.find(({ name }) => name === used.column)
  if (!from)
    throw usageError(`${table.shown} has no vector column ${used.column}. Save the search configuration again.`)
  const model = { name: options.model, dimensions: await dimensionsOf(client, options.model) }
  if (used.model === options.model) {
    const text = options.text ?? from.mark?.text
    return { isDone: true, source_id, table, column: from.name, model: options.model, text }
  }
  const to = planColumn(table, vectors, from, model, options.text)
  // Names a column that does not exist before the table is changed.
  await findTable(db, { table: table.quoted, text: to.text, column: from.name })
  return { source_id, exposed, table, from, fromModel: used.model, to, model }
}

function chooseColumn(
  columns: readonly ColumnInUse[],
  { column }: SwitchOptions,
  sourceId: string,
  table: string,
): ColumnInUse {
  const found = columns.filter((each) => column === undefined || each.column === column)
  const [first] = found
  if (!first) throw notSearched(sourceId, table, column)
  if (found.length === 1) return first
  const list = found.map((each) => `${each.column} (${each.model})`).join(', ')
  throw usageError(`${sourceId} searches ${table} by several vectors: ${list}. Name one column with --column.`)
}

function notSearched(sourceId: string, table: string, column: string | undefined): HintedError {
  const by = column === undefined ? '' : ` by the column ${column}`
  return new HintedError(
    'CONFLICT',
    `No entry of ${sourceId} searches ${table}${by}, so there is nothing to switch.`,
    'Without --switch the command fills a column.',
  )
}

/** Embeds a word if only the provider knows how large the vectors are. */
async function dimensionsOf(client: Client, model: string): Promise<number> {
  const dimensions = await findDimensions(client, model)
  if (dimensions !== null) return dimensions
  const { data } = await client.call(createEmbeddings, { model, input: ['svc'] })
  return (data[0]!.embedding as number[]).length
}
