import type { DestinationKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { LIMIT_IDLE_TIME } from './lock.ts'
import {
  type DueDestination,
  type PlannedDelivery,
  planDeliveries,
  type ReadyNotification,
  type WaitingDelivery,
} from './plan.ts'
import { changeDestinations } from './reschedule.ts'

/** Slots for first attempts are kept apart, so that retries to dead destinations never delay a new notification. */
export type AttemptKind = 'first' | 'retry'

export type ClaimedDelivery = {
  id: string
  org_id: string
  destination_key: string
  kind: DestinationKind
  channel_id: string | null
  user_id: string | null
  digest_key: string | null
  resend_of: string | null
  /** Set for a mail without an event, which is `message` until the delivery ended. */
  message_key: string | null
  message: string | null
  attempt: number
  fence: number
}

type Claimed = { deliveries: ClaimedDelivery[]; nextInSeconds: number | undefined }

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
  return db.tx(async (tx) => {
    const destinations = await lockDue(tx, attemptKind, limit)
    const deliveries = destinations.length > 0 ? await startDue(tx, attemptKind, destinations, limit, leaseSeconds) : []
    // When all slots are taken, the next slot that becomes free claims, so nobody needs the time.
    const nextInSeconds = deliveries.length < limit ? await secondsUntilDue(tx, attemptKind) : undefined
    return { deliveries, nextInSeconds }
  })
}

async function startDue(
  tx: Tx,
  attemptKind: AttemptKind,
  destinations: readonly DueDestination[],
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const { waiting, ready } = await readDue(tx, attemptKind, destinations)
  const planned = planDeliveries({ destinations, waiting, ready, limit }, () => newId('dlv'))
  const deliveries = planned.length > 0 ? await startSending(tx, planned, leaseSeconds) : []
  const started = Map.groupBy(deliveries, ({ destination_key }) => destination_key)
  // The destinations are locked, so what they have left to send cannot change before the commit.
  await changeDestinations(
    tx,
    destinations.map(({ key }) => ({ key, in_flight: started.get(key)?.length ?? 0 })),
  )
  return deliveries
}

/** Also sets how the transaction commits and how long it may be idle. */
async function lockDue(tx: Tx, attemptKind: AttemptKind, limit: number): Promise<DueDestination[]> {
  const dueAt = attemptKind === 'first' ? sql`first_at` : sql`retry_at`
  return tx.query(sql`
    select key, org_id, kind, max_in_flight - in_flight as free, max_per_message as per_message,
      set_config('synchronous_commit', 'on', true), ${LIMIT_IDLE_TIME}
    from notifications.destinations
    where ${dueAt} <= clock_timestamp()
    order by ${dueAt}, key
    limit ${limit}
    for update skip locked`)
}

/** Deliveries that exist already: retries, or as first attempts digests, resends and messages without an event. */
function waitingDeliveries(attemptKind: AttemptKind): Sql {
  const isKind = attemptKind === 'first' ? sql`attempt = 0` : sql`attempt > 0`
  return sql`
    select id, null as channel_id, null as user_id, true as is_delivery, next_at from notifications.deliveries
    where destination_key = due.key and state = 'pending' and ${isKind} and next_at <= clock_timestamp()
    order by next_at, id limit due.free`
}

/** Notifications that are in no delivery yet, the oldest of each destination. */
const READY_NOTIFICATIONS = sql`
  select id, channel_id, user_id, false as is_delivery, null::timestamptz as next_at from notifications.notifications
  where destination_key = due.key and delivery_id is null and dropped_reason is null and window_end is null
  order by id limit due.most`

type DueRow = ReadyNotification & { is_delivery: boolean }

async function readDue(
  tx: Tx,
  attemptKind: AttemptKind,
  destinations: readonly DueDestination[],
): Promise<{ waiting: WaitingDelivery[]; ready: ReadyNotification[] }> {
  const most = destinations.map(({ free, per_message }) => free * per_message)
  const parts =
    attemptKind === 'retry'
      ? waitingDeliveries(attemptKind)
      : sql`(${waitingDeliveries(attemptKind)}) union all (${READY_NOTIFICATIONS})`
  const rows = await tx.query<DueRow>(sql`
    select found.id, due.key as destination_key, found.channel_id, found.user_id, found.is_delivery
    from unnest(${destinations.map(({ key }) => key)}::text[], ${destinations.map(({ free }) => free)}::int[],
      ${most}::int[]) as due (key, free, most)
    cross join lateral (${parts}) as found
    order by found.next_at, found.id`)
  return { waiting: rows.filter(({ is_delivery }) => is_delivery), ready: rows.filter((row) => !row.is_delivery) }
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
        fence, lease_until, created_at)
      select id, org_id, destination_key, kind, channel_id, user_id, 'sending', 1, nextval('svc.fences'),
        clock_timestamp() + make_interval(secs => ${leaseSeconds}), clock_timestamp()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as formed (id text, org_id text, destination_key text, kind text, channel_id text, user_id text)
      returning ${STARTED_COLUMNS}
    ), resumed as (
      update notifications.deliveries
      set state = 'sending', attempt = attempt + 1, fence = nextval('svc.fences'), reason = null,
          lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}), next_at = null
      where id = any(${waiting.map(({ id }) => id)}::text[])
      returning ${STARTED_COLUMNS}
    ), started as (
      select ${STARTED_COLUMNS} from formed union all select ${STARTED_COLUMNS} from resumed
    ), joined as (
      update notifications.notifications as member set delivery_id = joining.delivery_id
      from unnest(${members.map(([id]) => id)}::text[], ${members.map(([, member]) => member)}::text[])
        as joining (delivery_id, notification_id)
      where member.id = joining.notification_id
    ), traced as (
      insert into notifications.attempts (delivery_id, attempt, fence, started_at)
      select id, attempt, fence, clock_timestamp() from started
    )
    select ${STARTED_COLUMNS} from started`)
}

function isNew({ notificationIds }: PlannedDelivery): boolean {
  return notificationIds.length > 0
}

async function secondsUntilDue(tx: Tx, attemptKind: AttemptKind): Promise<number | undefined> {
  const dueAt = attemptKind === 'first' ? sql`first_at` : sql`retry_at`
  const [row] = await tx.query<{ seconds: number | null }>(sql`
    select extract(epoch from min(${dueAt}) - clock_timestamp())::float8 as seconds from notifications.destinations
    where ${dueAt} is not null`)
  return row?.seconds == null ? undefined : Math.max(row.seconds, 0)
}
