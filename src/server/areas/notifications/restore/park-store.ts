import { lowestId } from '#edge/ids.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { lockDestinations } from '../store/lock.ts'
import { type LooseNotification, PARKED_REASON, parkNotifications } from '../store/park-notifications.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'
import { saveRestoreMark } from '../store/restore-mark.ts'

const ROWS_PER_TRANSACTION = 200

/** Work that a restored backup would send, although it may have been sent after the backup was made. */
export type Parkable = {
  /** Messages that wait for an attempt or were being sent. */
  deliveries: number
  /** Notifications that are in no message yet, other than those of digests that are not due. */
  notifications: number
  /** Events that were not compared with the subscriptions yet. */
  events: number
}

const IS_LOOSE = sql`delivery_id is null and dropped_reason is null and kind <> 'none'
  and (window_end is null or window_end <= clock_timestamp())`

export async function countParkable(db: Querier): Promise<Parkable> {
  const [row] = await db.query<Parkable>(sql`
    select
      (select count(*) from notifications.deliveries where state in ('pending', 'sending'))::int as deliveries,
      (select count(*) from notifications.notifications where ${IS_LOOSE})::int as notifications,
      ((select count(*) from notifications.events where matched_at is null or people_pending)
        + (select count(*) from svc.outbox))::int as events`)
  return row!
}

/**
 * Ends everything that waits to be sent as unknown. Events that were not matched yet are matched later as usual, and
 * what follows from them is parked too. Can be repeated after an interruption.
 */
export async function parkDeliveries(db: Db, now: Date): Promise<Parkable> {
  const parkable = await countParkable(db)
  await db.tx((tx) => saveRestoreMark(tx, lowestId('evt', now)))
  while (await db.tx(parkSomeDeliveries));
  while (await db.tx(parkSomeNotifications));
  return parkable
}

/** Returns whether there may be more. */
async function parkSomeDeliveries(tx: Tx): Promise<boolean> {
  const found = await tx.query<{ id: string; destination_key: string }>(sql`
    select id, destination_key from notifications.deliveries where state in ('pending', 'sending')
    order by id limit ${ROWS_PER_TRANSACTION}`)
  if (found.length === 0) return false
  const keys = [...new Set(found.map(({ destination_key }) => destination_key))].sort()
  await lockDestinations(tx, keys)
  await tx.query(sql`
    with waiting as (
      select id, fence from notifications.deliveries
      where id = any(${found.map(({ id }) => id)}::text[]) and state in ('pending', 'sending')
      order by id for update
    ), parked as (
      update notifications.deliveries as delivery
      set state = 'unknown', reason = ${PARKED_REASON}, message = null, next_at = null, lease_until = null,
          ended_at = clock_timestamp(), outcome = 'unknown'
      from waiting where delivery.id = waiting.id
    )
    -- A worker of the former release wrote a row of its own for the attempt.
    update notifications.attempts as attempt
    set ended_at = clock_timestamp(), outcome = 'unknown', reason = ${PARKED_REASON}
    from waiting where attempt.delivery_id = waiting.id and attempt.fence = waiting.fence and attempt.ended_at is null`)
  await rescheduleDestinations(tx, keys)
  return true
}

async function parkSomeNotifications(tx: Tx): Promise<boolean> {
  const found = await tx.query<{ destination_key: string }>(sql`
    select distinct destination_key from (
      select destination_key from notifications.notifications where ${IS_LOOSE} limit ${ROWS_PER_TRANSACTION}) as found`)
  if (found.length === 0) return false
  const keys = found.map(({ destination_key }) => destination_key).sort()
  await lockDestinations(tx, keys)
  const loose = await tx.query<LooseNotification>(sql`
    select id, org_id, destination_key, kind, channel_id, user_id from notifications.notifications
    where destination_key = any(${keys}::text[]) and ${IS_LOOSE} order by id limit ${ROWS_PER_TRANSACTION}`)
  await parkNotifications(tx, loose)
  await rescheduleDestinations(tx, keys)
  return true
}
