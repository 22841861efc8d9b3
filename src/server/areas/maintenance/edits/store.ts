import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Edit } from './apply-edits.ts'

/** The edits of a run, in the order in which they apply. */
export async function listEdits(db: Querier, runId: string): Promise<Edit[]> {
  return db.query(sql`select path, old_text, new_text from maintenance.edits where run_id = ${runId} order by n`)
}

/** Call it after `holdRun`, which keeps two edits of one run apart. */
export async function insertEdit(tx: Tx, runId: string, { path, old_text, new_text }: Edit): Promise<number> {
  const [row] = await tx.query<{ n: number }>(sql`
    insert into maintenance.edits (run_id, n, path, old_text, new_text)
    select ${runId}, coalesce(max(n), 0) + 1, ${path}, ${old_text}, ${new_text}
    from maintenance.edits where run_id = ${runId}
    returning n`)
  return row!.n
}

/** Edits are kept only with a proposal that was made of them. */
export async function dropEdits(tx: Tx, runId: string): Promise<void> {
  await tx.query(sql`delete from maintenance.edits where run_id = ${runId}`)
}
