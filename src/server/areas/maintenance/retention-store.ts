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

/** Empties the lines of up to `limit` findings that were last seen before. Returns how many. */
export async function dropLines(db: Querier, before: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    update maintenance.findings set lines = '[]'
    where (app_id, fingerprint) in (
      select app_id, fingerprint from maintenance.findings
      where last_seen_at < ${before} and lines <> '[]' limit ${limit})
    returning fingerprint`)
  return rows.length
}
