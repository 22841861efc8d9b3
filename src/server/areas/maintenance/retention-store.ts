import type { Querier } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'

/** Deletes up to `limit` rows of runs with an id below `beforeId`. Returns how many. */
export async function deleteOld(db: Querier, table: 'evidence' | 'edits', beforeId: string, limit: number) {
  const name = identifier('maintenance', table)
  const rows = await db.query(sql`
    delete from ${name} where (run_id, n) in (select run_id, n from ${name} where run_id < ${beforeId} limit ${limit})
    returning n`)
  return rows.length
}
