import type { DestinationKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { newGrant } from '#lib/work/job-table.ts'
import { leaseEnd } from '#lib/work/lease.ts'
import type { Addressed } from '../model/notification.ts'
import {
  type DueDestination,
  type PlannedDelivery,
  planDeliveries,
  type ReadyNotification,
  whereMoreWaits,
} from '../model/plan.ts'
import { DELIVERY_SETTINGS } from '../store/lock.ts'
import { moveToEnd } from '../store/reschedule.ts'

/** Slots for first attempts are kept apart, so that retries to dead destinations never delay a new notification. */
export type AttemptKind = 'first' | 'retry'

export type ClaimedDelivery = Addressed & {
  id: string
  kind: DestinationKind
  digest_key: string | null
  resend_of: string | null
  /** Set for a mail without an event, which is `message` until the delivery ended. */
  message_key: string | null
  message: string | null
  attempt: number
  fence: number
}

type Claimed = {
  deliveries: ClaimedDelivery[]
  nextInSeconds: number | undefined
  /** False when nothing is due any more, also not for destinations with as much in flight as may be. */
  isMoreWaiting: boolean
}

/**
 * Claims at most `limit` deliveries and commits before it returns: no byte of a message leaves before its claim is on
 * disk, otherwise a crash of Postgres could forget the claim and the message would be sent twice.
 */
export async function claimDeliveries(
  db: Db,
  attemptKind: AttemptKind,
  limit: number,
  leaseSeconds: number,
): Promise<Claimed> {
  return db.tx(
    async (tx) => {
      const destinations = await lockDue(tx, attemptKind, limit)
      const deliveries =
        destinations.length > 0 ? await startDue(tx, attemptKind, destinations, limit, leaseSeconds) : []
      // When all slots are taken, the next slot that becomes free claims, so nobody needs the time.
      if (deliveries.length === limit) return { deliveries, nextInSeconds: undefined, isMoreWaiting: true }
      return { deliveries, ...(await readRest(tx, attemptKind)) }
    },
    { settings: DELIVERY_SETTINGS },
  )
}

async function startDue(
  tx: Tx,
  attemptKind: AttemptKind,
  destinations: readonly LockedDestination[],
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const read = await readDue(tx, attemptKind, destinations)
  const planned = planDeliveries({ ...read, limit }, () => newId('dlv'))
  const deliveries = planned.length > 0 ? await startSending(tx, planned, leaseSeconds) : []
  // The destinations are locked, so what they have left to send cannot change before the commit.
  await moveToEnd(tx, attemptKind, whereMoreWaits({ ...read, planned }))
  return deliveries
}

/**
 * In a subquery, because Postgres uses no volatile function as the bound of an index: it would read every row that waits
 * for its time.
 */
const NOW = sql`(select clock_timestamp())`

type LockedDestination = Omit<DueDestination, 'free'> & { max_in_flight: number }

/** Messages in flight to `destination`. They are counted, so that the end of an attempt has no counter to lock. */
const IN_FLIGHT = sql`(
  select count(*)::int from notifications.deliveries where destination_key = destination.key and state = 'sending')`

async function lockDue(tx: Tx, attemptKind: AttemptKind, limit: number): Promise<LockedDestination[]> {
  const dueAt = attemptKind === 'first' ? sql`first_at` : sql`retry_at`
  return tx.query(sql`
    select key, org_id, kind, max_in_flight, max_per_message as per_message
    from notifications.destinations as destination
    where ${dueAt} <= ${NOW} and ${IN_FLIGHT} < max_in_flight
    order by ${dueAt}, key
    limit ${limit}
    for update skip locked`)
}

/** Deliveries that exist already: retries, or as first attempts digests, resends and messages without an event. */
function waitingDeliveries(attemptKind: AttemptKind): Sql {
  const isKind = attemptKind === 'first' ? sql`attempt = 0` : sql`attempt > 0`
  return sql`
    select id, null as channel_id, null as user_id, true as is_delivery, next_at from notifications.deliveries
    where destination_key = due.key and state = 'pending' and ${isKind} and next_at <= ${NOW}
    order by next_at, id limit due.free`
}

/** Notifications that are in no delivery yet, the oldest of each destination. */
const READY_NOTIFICATIONS = sql`
  select id, channel_id, user_id, false as is_delivery, null::timestamptz as next_at from notifications.notifications
  where destination_key = due.key and delivery_id is null and dropped_reason is null and window_end is null
  order by id limit due.most`

type DueRow = Pick<ReadyNotification, 'destination_key' | 'channel_id' | 'user_id'> & {
  /** Null when the destination has nothing to send. */
  id: string | null
  is_delivery: boolean
  free: number
}

/**
 * Reads what waits for the locked destinations. Messages in flight are counted anew, because another worker may have
 * claimed some after the statement that locked began.
 */
async function readDue(tx: Tx, attemptKind: AttemptKind, locked: readonly LockedDestination[]) {
  const parts =
    attemptKind === 'retry'
      ? waitingDeliveries(attemptKind)
      : sql`(${waitingDeliveries(attemptKind)}) union all (${READY_NOTIFICATIONS})`
  const rows = await tx.query<DueRow>(sql`
    select found.id, due.key as destination_key, found.channel_id, found.user_id, found.is_delivery, due.free
    from (
      select destination.key, free, free * per_message as most
      from unnest(${locked.map(({ key }) => key)}::text[], ${locked.map((one) => one.max_in_flight)}::int[],
        ${locked.map(({ per_message }) => per_message)}::int[]) as destination (key, max_in_flight, per_message)
      cross join lateral (select greatest(max_in_flight - ${IN_FLIGHT}, 0) as free offset 0) as counted
    ) as due
    left join lateral (${parts}) as found on true
    order by found.next_at, found.id`)
  const freeByKey = new Map(rows.map(({ destination_key, free }) => [destination_key, free]))
  const found = rows.filter((row): row is DueRow & { id: string } => row.id !== null)
  return {
    destinations: locked.map(({ max_in_flight: _, ...one }) => ({ ...one, free: freeByKey.get(one.key)! })),
    waiting: found.filter(({ is_delivery }) => is_delivery),
    ready: found.filter((row) => !row.is_delivery),
  }
}

const STARTED_COLUMNS = sql`id, org_id, destination_key, kind, channel_id, user_id, digest_key, resend_of,
  message_key, message, attempt, fence`

/**
 * Marks deliveries as being sent and returns them. New ones are made here, and their notifications are put into them
 * for good.
 */
async function startSending(
  tx: Tx,
  planned: readonly PlannedDelivery[],
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const [formed, waiting] = [planned.filter(isNew), planned.filter((one) => !isNew(one))]
  const rows = formed.map(({ id, destination, channel_id, user_id }) => {
    const { key: destination_key, org_id, kind } = destination
    return { id, org_id, destination_key, kind, channel_id, user_id }
  })
  const members = formed.flatMap(({ id, notificationIds }) => notificationIds.map((member) => [id, member] as const))
  return tx.query(sql`
    with formed as (
      insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, user_id, state, attempt,
        fence, lease_until, created_at, started_at)
      select id, org_id, destination_key, kind, channel_id, user_id, 'sending', 1, nextval('svc.fences'),
        ${leaseEnd(leaseSeconds)}, clock_timestamp(), clock_timestamp()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as formed (id text, org_id text, destination_key text, kind text, channel_id text, user_id text)
      returning ${STARTED_COLUMNS}
    ), resumed as (
      update notifications.deliveries
      set state = 'sending', attempt = attempt + 1, ${newGrant(leaseSeconds)}, reason = null, next_at = null,
          started_at = clock_timestamp(), outcome = null, status = null
      where id = any(${waiting.map(({ id }) => id)}::text[])
      returning ${STARTED_COLUMNS}
    ), started as (
      select ${STARTED_COLUMNS} from formed union all select ${STARTED_COLUMNS} from resumed
    ), joined as (
      update notifications.notifications as member set delivery_id = joining.delivery_id
      from unnest(${members.map(([id]) => id)}::text[], ${members.map(([, member]) => member)}::text[])
        as joining (delivery_id, notification_id)
      where member.id = joining.notification_id
    )
    select ${STARTED_COLUMNS} from started`)
}

function isNew({ notificationIds }: PlannedDelivery): boolean {
  return notificationIds.length > 0
}

/** How soon to look again at a destination with as much in flight as may be: another process may be about to end it. */
const FULL_SECONDS = 5

/** Returns whether something is due, and when to look for the next destination. */
export async function readRest(db: Querier, attemptKind: AttemptKind): Promise<Omit<Claimed, 'deliveries'>> {
  const dueAt = attemptKind === 'first' ? sql`first_at` : sql`retry_at`
  const [row] = await db.query<{ seconds: number | null; is_more_waiting: boolean }>(sql`
    select exists (select from notifications.destinations where ${dueAt} <= ${NOW}) as is_more_waiting, (
      select extract(epoch from ${dueAt} - clock_timestamp())::float8
      from notifications.destinations as destination
      where ${dueAt} > ${NOW} or ${dueAt} is not null and ${IN_FLIGHT} < max_in_flight
      order by ${dueAt} limit 1) as seconds`)
  const { seconds, is_more_waiting } = row!
  const next = seconds === null ? undefined : Math.max(seconds, 0)
  if (!is_more_waiting) return { nextInSeconds: next, isMoreWaiting: false }
  return { nextInSeconds: Math.min(next ?? FULL_SECONDS, FULL_SECONDS), isMoreWaiting: true }
}
