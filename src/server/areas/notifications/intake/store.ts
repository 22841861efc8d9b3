import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { StoredEvent } from '#lib/work/outbox.ts'

/** An event whose id is already stored is left as it is. */
export async function storeEvents(tx: Tx, events: readonly StoredEvent[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at)
    select id, org_id, type, body, occurred_at, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as event (id text, org_id text, type text, body jsonb, occurred_at timestamptz)
    on conflict (id) do nothing`)
}
