import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Addressed } from '../model/notification.ts'

/** Why a message was not sent after a restore. Nobody knows whether it had been sent after the backup was made. */
export const PARKED_REASON = 'parked_after_restore'

/** A notification that is in no message yet. */
export type LooseNotification = Addressed & { id: string; kind: string }

/**
 * Gives each notification a message that ended as unknown, so that the ledger shows it and an admin can resend it. The
 * caller holds the locks of their destinations, or has just made the notifications.
 */
export async function parkNotifications(tx: Tx, loose: readonly LooseNotification[]): Promise<void> {
  if (loose.length === 0) return
  const rows = loose.map((notification) => ({ ...notification, delivery_id: newId('dlv') }))
  await tx.query(sql`
    with parked as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as parked (id text, delivery_id text, org_id text,
        destination_key text, kind text, channel_id text, user_id text)
    ), taken as (
      update notifications.notifications as notification set delivery_id = parked.delivery_id
      from parked where notification.id = parked.id and notification.delivery_id is null
      returning parked.delivery_id
    )
    insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, user_id, state, reason,
      created_at, ended_at)
    select delivery_id, org_id, destination_key, kind, channel_id, user_id, 'unknown', ${PARKED_REASON},
      clock_timestamp(), clock_timestamp()
    from parked where delivery_id in (select delivery_id from taken)`)
}

/** Parks notifications of these events that wait for a message or for the end of their digest window. */
export async function parkNotificationsOf(tx: Tx, eventIds: readonly string[]): Promise<void> {
  const loose = await tx.query<LooseNotification>(sql`
    select id, org_id, destination_key, kind, channel_id, user_id from notifications.notifications
    where event_id = any(${[...eventIds]}::text[]) and kind <> 'none' and delivery_id is null
      and dropped_reason is null`)
  await parkNotifications(tx, loose)
}
