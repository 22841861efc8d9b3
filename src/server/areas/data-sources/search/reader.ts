import type { Tx } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'

/** A managed database as its reader has it. */
export type Reader = {
  /** Reads on one connection, after `session` has set what holds for it; read-only, 10 seconds at most for each. */
  reads<T>(work: (on: ReadsOn) => Promise<T>, session: Sql): Promise<T>
}

export type ReadsOn = Pick<Tx, 'query'>
