import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Events with a lower id were in a backup that was restored. Undefined where none was. */
export async function readRestoreMark(db: Querier): Promise<string | undefined> {
  const [row] = await db.query<{ before_event_id: string }>(sql`
    select before_event_id from notifications.restore_mark`)
  return row?.before_event_id
}

export async function saveRestoreMark(tx: Tx, beforeEventId: string): Promise<void> {
  await tx.query(sql`
    insert into notifications.restore_mark (before_event_id, parked_at) values (${beforeEventId}, clock_timestamp())
    on conflict (only_row) do update
      set before_event_id = excluded.before_event_id, parked_at = excluded.parked_at`)
}
