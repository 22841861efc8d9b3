import type { Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { PlannedOf } from '../model/plan.ts'

/**
 * Time at which the next first attempt to `destination` can begin, or null when nothing waits for one. Whether as many
 * messages are in flight as may be is not part of it, so that the end of an attempt changes no destination.
 */
function firstAt(pausedUntil: Sql): Sql {
  return sql`(
    select greatest(${pausedUntil}, due_at) from (
      (select clock_timestamp() as due_at from notifications.notifications
       where destination_key = destination.key
         and delivery_id is null and dropped_reason is null and window_end is null limit 1)
      union all
      (select next_at from notifications.deliveries
       where destination_key = destination.key and state = 'pending' and attempt = 0 order by next_at limit 1)
    ) as waiting order by due_at limit 1)`
}

/** Time at which the next retry to `destination` can begin, or null when there is none. */
function retryAt(pausedUntil: Sql): Sql {
  return sql`(
    select greatest(${pausedUntil}, next_at) from notifications.deliveries
    where destination_key = destination.key and state = 'pending' and attempt > 0 order by next_at limit 1)`
}

/**
 * NOTIFY channel of the slots of deliveries. They look seldom at destinations where nothing waits, so whatever lets
 * something wait notifies them. The payload is `retry` when that can only be retries.
 */
export const DELIVERIES_NOTIFY = 'svc_notifications'
export const RETRY_PAYLOAD = 'retry'

/**
 * Sets when each destination can be sent to next, and notifies if something waits. The caller holds locks on the rows
 * from an earlier statement: a statement that had waited for the lock itself would not see what the former holder of it
 * added.
 */
export async function rescheduleDestinations(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.query(sql`
    with planned as (
      update notifications.destinations as destination
      set first_at = ${firstAt(sql`paused_until`)}, retry_at = ${retryAt(sql`paused_until`)}
      where key = any(${[...keys]}::text[])
      returning first_at, retry_at
    )
    select pg_notify(${DELIVERIES_NOTIFY}, '') from planned
    where first_at is not null or retry_at is not null limit 1`)
}

/**
 * Records what was claimed. A destination where more first attempts wait is due again at once, after all that were due
 * before it. Needs the same locks as `rescheduleDestinations`.
 */
export async function moveToEnd(tx: Tx, kind: 'first' | 'retry', claimed: readonly PlannedOf[]): Promise<void> {
  const isDue = claimed.map(({ hasMore }) => kind === 'first' && hasMore)
  await tx.query(sql`
    update notifications.destinations as destination
    set first_at = case when claimed.is_due then clock_timestamp() else ${firstAt(sql`paused_until`)} end,
        retry_at = case when claimed.is_due then retry_at else ${retryAt(sql`paused_until`)} end
    from unnest(${claimed.map(({ key }) => key)}::text[], ${isDue}::boolean[]) as claimed (key, is_due)
    where destination.key = claimed.key`)
}

type Result = {
  key: string
  /** Failures in a row from now on. */
  failures: number
  /** Seconds for which nothing is sent. A longer pause that was set before stays. */
  pause: number
}

/**
 * Records how attempts ended and sets when each destination can be sent to next. Needs the same locks. It notifies only
 * because of retries: what waits for its first attempt had a time already, which never becomes earlier here.
 */
export async function recordResults(tx: Tx, results: readonly Result[]): Promise<void> {
  await tx.query(sql`
    with planned as (
      update notifications.destinations as destination
      set failures = result.failures, paused_until = result.paused_until,
          first_at = ${firstAt(sql`result.paused_until`)}, retry_at = ${retryAt(sql`result.paused_until`)}
      from (
        select key, given.failures, case when given.pause > 0
            then greatest(before.paused_until, clock_timestamp() + make_interval(secs => given.pause))
            else before.paused_until end as paused_until
        from unnest(${results.map(({ key }) => key)}::text[], ${results.map(({ failures }) => failures)}::int[],
          ${results.map(({ pause }) => pause)}::float8[]) as given (key, failures, pause)
        join notifications.destinations as before using (key)
      ) as result
      where destination.key = result.key
      returning retry_at
    )
    select pg_notify(${DELIVERIES_NOTIFY}, ${RETRY_PAYLOAD}) from planned where retry_at is not null limit 1`)
}
