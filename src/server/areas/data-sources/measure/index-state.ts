import { hash } from 'node:crypto'
import { DEFAULT_ERROR_RATE } from '#contract/data-sources/relevance.ts'
import { identifier } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Indexes } from '../search/indexes.ts'

/** The state that a measurement is true for: these indexes, and about this many rows in the table. */
export type IndexState = { readonly indexes: string; readonly rows: number }

/** A measurement is repeated when the table has grown by a fifth since. */
const GROWTH = 1.2
/** A measurement is not used for a table that has more than doubled, such as one that was almost empty. */
const MAX_GROWTH = 2

type MeasuredEntry = Pick<ResolvedEntry, 'schema' | 'table' | 'vector_column' | 'metric'>

/** Names the column and metric that a measurement is of. Entries that share them share the measurement. */
export function targetOf({ schema, table, vector_column, metric }: MeasuredEntry): string {
  return `${identifier(schema, table, vector_column).text} ${metric}`
}

type CalibratedEntry = MeasuredEntry & Pick<ResolvedEntry, 'model' | 'content' | 'error_rate'>

/** Names what scores were measured of. Another model, other content or another error rate is another target. */
export function relevanceTargetOf(entry: CalibratedEntry): string {
  const { model, content, error_rate = DEFAULT_ERROR_RATE } = entry
  const digest = hash('sha256', JSON.stringify([model, content.map(({ name }) => name), error_rate]))
  return `${targetOf(entry)} relevance ${digest.slice(0, 16)}`
}

/** Both targets of an entry. */
export function targetsOf(entry: CalibratedEntry): [string, string] {
  return [targetOf(entry), relevanceTargetOf(entry)]
}

/** The meaning of scores depends on the table and not on its indexes. */
export function tableStateOf({ oid, rows }: Pick<Indexes, 'oid' | 'rows'>): IndexState {
  return { indexes: `table ${oid}`, rows: Math.max(rows, 0) }
}

/** Describes the indexes by a digest that changes when one is made, built again or dropped. */
export function stateOf({ oid, version, rows, found }: Indexes): IndexState {
  return { indexes: hash('sha256', JSON.stringify([oid, version, found])), rows: Math.max(rows, 0) }
}

/** Whether a measurement can be used for the table as it is now, and whether it must be made again. */
export function judgeState(measured: IndexState | undefined, now: IndexState): { isUsable: boolean; isDue: boolean } {
  if (!measured || measured.indexes !== now.indexes) return { isUsable: false, isDue: true }
  return {
    isUsable: now.rows <= MAX_GROWTH * measured.rows,
    isDue: now.rows > 0 && now.rows >= GROWTH * measured.rows,
  }
}
