import type { Querier } from '../db/db.ts'
import { integer, type Sql, sql } from '../db/sql.ts'
import { repeatWhileFull } from './full-batches.ts'

const ROWS_PER_STATEMENT = 5_000

/** Deletes all rows of a table that the condition holds for, in statements short enough for any number of rows. */
export async function deleteRows(db: Querier, table: Sql, condition: Sql, signal: AbortSignal): Promise<void> {
  await repeatWhileFull(signal, ROWS_PER_STATEMENT, async () => {
    // Rows of different partitions can have the same ctid.
    const [row] = await db.query<{ count: number }>(sql`
      with deleted as (
        delete from ${table} where (tableoid, ctid) in (
          select tableoid, ctid from ${table} where ${condition} limit ${integer(ROWS_PER_STATEMENT)})
        returning 1
      )
      select count(*)::int as count from deleted`)
    return row!.count
  })
  signal.throwIfAborted()
}
