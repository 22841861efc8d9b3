import type { Tx } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { PersonValues } from './person.ts'

/** A managed database as its reader sees it. */
export type Reader = {
  /**
   * Runs `work` on one connection that has the settings `session`. Read-only, at most 10 seconds for each statement. Each
   * statement has the settings `person` too, which end with it.
   */
  reads<T>(work: (on: ReadsOn) => Promise<T>, session: Sql, person?: PersonValues): Promise<T>
}

export type ReadsOn = Pick<Tx, 'query'>

export type OpenReader = (orgId: string, databaseName: string) => Promise<Reader>
