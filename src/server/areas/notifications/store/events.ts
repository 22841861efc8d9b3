import type { Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { StoredEvent } from '#lib/work/outbox.ts'

/** Notified when events were stored that are still to be matched. */
export const EVENTS_NOTIFY = 'svc_notification_events'
/** Notified when events are still to be matched to people. */
export const PEOPLE_NOTIFY = 'svc_notification_people'

type IncomingEvent = StoredEvent & {
  /** False for an event that is still to be compared with subscriptions. */
  is_matched: boolean
  people_pending: boolean
}

/** Stores events and returns the ids of those that were not stored before. The others are left as they are. */
export async function storeEvents(tx: Tx, events: readonly IncomingEvent[], now: Date): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at, people_pending)
    select id, org_id, type, body, occurred_at, ${now}::timestamptz, case when is_matched then clock_timestamp() end,
      people_pending
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (id text, org_id text, type text, body jsonb,
      occurred_at timestamptz, is_matched boolean, people_pending boolean)
    on conflict (id) do nothing
    returning id`)
  if (events.some(({ is_matched }) => !is_matched)) await notify(tx, EVENTS_NOTIFY)
  if (events.some(({ people_pending }) => people_pending)) await notify(tx, PEOPLE_NOTIFY)
  return new Set(rows.map(({ id }) => id))
}

/** The event goes to no subscription and to no inbox. */
export async function insertMatchedEvent(tx: Tx, event: StoredEvent): Promise<void> {
  await tx.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    values (${event.id}, ${event.org_id}, ${event.type}, ${JSON.stringify(event.body)}, ${event.occurred_at},
      clock_timestamp(), clock_timestamp())`)
}
