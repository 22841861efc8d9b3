import type { DestinationKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { NewNotification } from '../model/notification.ts'
import { DELIVERY_RULES } from '../model/schedule.ts'
import { LIMIT_IDLE_TIME } from './lock.ts'
import { parkNotificationsOf } from './park-notifications.ts'
import { rescheduleDestinations } from './reschedule.ts'
import { readRestoreMark } from './restore-mark.ts'

/**
 * Stores notifications. One that is stored already, of the same event for the same destination, is left as it is. Those
 * of events from a restored backup are parked, because they may have been sent after the backup was made.
 */
export async function addNotifications(tx: Tx, added: readonly NewNotification[]): Promise<void> {
  if (added.length === 0) return
  await insertNotifications(tx, added)
  const mark = await readRestoreMark(tx)
  const isParked = ({ event_id }: NewNotification) => mark !== undefined && event_id < mark
  const parked = added.filter(isParked).map(({ event_id }) => event_id)
  if (parked.length > 0) await parkNotificationsOf(tx, parked)
  const sent = added.filter((one) => !isParked(one)).filter(isSentAtOnce)
  if (sent.length > 0) await wakeDestinations(tx, sent)
}

function isSentAtOnce(one: NewNotification): one is NewNotification & { kind: DestinationKind } {
  return one.kind !== 'none' && one.digest === null && one.dropped_reason === null
}

async function insertNotifications(tx: Tx, added: readonly NewNotification[]): Promise<void> {
  const rows = added.map(({ digest, per_message: _, ...row }) => {
    const { key = null, timing = null, windowEnd = null } = digest ?? {}
    return { ...row, id: newId('ntf'), digest_key: key, digest_timing: timing, window_end: windowEnd }
  })
  await tx.query(sql`
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, channel_id, user_id,
      subscription_id, app_id, digest_key, digest_timing, window_end, dropped_reason, created_at)
    select id, event_id, org_id, destination_key, kind, channel_id, user_id, subscription_id, app_id, digest_key,
      digest_timing, window_end, dropped_reason, clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as added (id text, event_id text, org_id text,
      destination_key text, kind text, channel_id text, user_id text, subscription_id text, app_id text,
      digest_key text, digest_timing text, window_end timestamptz, dropped_reason text)
    order by event_id, destination_key
    on conflict (event_id, destination_key) do nothing`)
}

export async function readNotificationId(tx: Tx, eventId: string, destinationKey: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from notifications.notifications where event_id = ${eventId} and destination_key = ${destinationKey}`)
  return row!.id
}

type Waking = {
  destination_key: string
  org_id: string
  kind: DestinationKind
  /** Left out by a message that is made already, such as a digest: the number stays as it is. */
  per_message?: number
}

/** Lets the destinations know that they have something to send, and wakes a worker. */
export async function wakeDestinations(tx: Tx, waking: readonly Waking[]): Promise<void> {
  const rows = [...new Map(waking.map((one) => [one.destination_key, one])).values()]
    .sort((a, b) => (a.destination_key < b.destination_key ? -1 : 1))
    .map(({ destination_key, org_id, kind, per_message }) => {
      return { destination_key, org_id, kind, per_message, max_in_flight: DELIVERY_RULES[kind].maxInFlight }
    })
  await tx.query(sql`select ${LIMIT_IDLE_TIME}`)
  // The update locks the rows, so that the next statement sees all that others added to them before.
  await tx.query(sql`
    insert into notifications.destinations as destination (key, org_id, kind, max_in_flight, max_per_message)
    select destination_key, org_id, kind, max_in_flight, coalesce(per_message, 1)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as waking (destination_key text, org_id text, kind text, max_in_flight int, per_message int)
    order by destination_key
    on conflict (key) do update
      set max_in_flight = excluded.max_in_flight`)
  await tx.query(sql`
    update notifications.destinations as destination set max_per_message = waking.per_message
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as waking (destination_key text, per_message int)
    where key = waking.destination_key and max_per_message <> waking.per_message`)
  const keys = rows.map(({ destination_key }) => destination_key)
  await rescheduleDestinations(tx, keys)
}
