import type { Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { StoredEvent } from '#lib/work/outbox.ts'

/** Notified when events were taken in. */
export const EVENTS_NOTIFY = 'svc_notification_events'

/** Stores events that are still to be matched. An event whose id is already stored is left as it is. */
export async function storeEvents(tx: Tx, events: readonly StoredEvent[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at)
    select id, org_id, type, body, occurred_at, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as event (id text, org_id text, type text, body jsonb, occurred_at timestamptz)
    on conflict (id) do nothing`)
  await notify(tx, EVENTS_NOTIFY)
}

/** The event goes to no subscription and to no inbox. */
export async function insertMatchedEvent(tx: Tx, event: StoredEvent): Promise<void> {
  await tx.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    values (${event.id}, ${event.org_id}, ${event.type}, ${JSON.stringify(event.body)}, ${event.occurred_at},
      clock_timestamp(), clock_timestamp())`)
}
