import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rescheduleDestinations } from '../../../src/server/areas/notifications/store/reschedule.ts'

/** A notification with what the ledger says of it. `state` is null while it is in no delivery. */
export type LedgerRow = {
  id: string
  event_id: string
  delivery_id: string | null
  state: string | null
  reason: string | null
}

export async function readLedger(db: Db): Promise<LedgerRow[]> {
  return db.query(sql`
    select notification.id, event_id, delivery_id, coalesce(state, case when dropped_reason is null then 'pending'
      else 'dropped' end) as state, coalesce(reason, dropped_reason) as reason
    from notifications.notifications as notification
    left join notifications.deliveries as delivery on delivery.id = delivery_id`)
}

/** Lets everything that waits for a later attempt be sent now. */
export async function bringForward(db: Db): Promise<void> {
  await db.tx(async (tx) => {
    const rows = await tx.query<{ key: string }>(sql`
      select key from notifications.destinations order by key for update`)
    await tx.query(sql`
      update notifications.deliveries set next_at = clock_timestamp() where state = 'pending'`)
    await tx.query(sql`update notifications.destinations set paused_until = null, failures = 0`)
    await rescheduleDestinations(
      tx,
      rows.map(({ key }) => key),
    )
  })
}

/** Events and messages that are still under way, or will be without waiting. */
export async function countUnderWay(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select (select count(*) from svc.outbox)::int
      + (select count(*) from notifications.events where matched_at is null or people_pending)::int
      + (select count(*) from notifications.notifications
         where delivery_id is null and dropped_reason is null and window_end is null)::int
      + (select count(*) from notifications.deliveries where state = 'sending')::int
      + (select count(*) from notifications.deliveries
         where state = 'pending' and next_at <= clock_timestamp())::int as count`)
  return row!.count
}

export async function countWaiting(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from notifications.deliveries where state = 'pending'`)
  return row!.count
}
