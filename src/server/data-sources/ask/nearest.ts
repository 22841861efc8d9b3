import type { Db, Tx } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import { nearestStatement, type Question, searchSettings } from './statement.ts'

/** A managed database as its reader has it. */
export type Reader = Pick<Db, 'tx'> & {
  /** Reads on one connection, each a transaction of its own, after `session` has set what holds for the connection. */
  reads<T>(work: (on: Pick<Tx, 'query'>) => Promise<T>, session: Sql): Promise<T>
}

const SETTINGS = searchSettings('hnsw', { until: 'session' })

/** The commonest question in one round trip: by an HNSW index, without a filter. Undefined where that is not enough. */
export async function nearest<Row>(db: Reader, question: Question): Promise<Row[] | undefined> {
  const { entry, filters, limit } = question
  if (entry.index !== 'hnsw' || filters.length > 0) return undefined
  const rows = await db.reads((on) => on.query<Row>(nearestStatement(question)), SETTINGS)
  return rows.length < limit ? undefined : rows
}
