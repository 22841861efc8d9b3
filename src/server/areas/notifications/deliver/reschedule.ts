import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type DestinationChange = {
  key: string
  /** Added to the number of messages in flight. */
  in_flight: number
  /** Failures in a row from now on. Left out, the number stays as it is. */
  failures?: number
  /** Seconds for which nothing is sent. A longer pause that was set before stays. */
  pause?: number
}

/**
 * Sets when each destination can be sent to next. The caller holds locks on the rows from an earlier statement: a
 * statement that had waited for the lock itself would not see what the former holder of it added.
 */
export async function rescheduleDestinations(tx: Tx, keys: readonly string[]): Promise<void> {
  await changeDestinations(
    tx,
    keys.map((key) => ({ key, in_flight: 0 })),
  )
}

/** Changes destinations and sets when each can be sent to next. Needs the same locks as `rescheduleDestinations`. */
export async function changeDestinations(tx: Tx, changes: readonly DestinationChange[]): Promise<void> {
  await tx.query(sql`
    update notifications.destinations as destination
    set in_flight = changed.in_flight, failures = changed.failures, paused_until = changed.paused_until,
        first_at = case when changed.in_flight < max_in_flight then greatest(changed.paused_until, (
          select min(due_at) from (
            (select clock_timestamp() as due_at from notifications.notifications
             where destination_key = destination.key
               and delivery_id is null and dropped_reason is null and window_end is null limit 1)
            union all
            (select next_at from notifications.deliveries
             where destination_key = destination.key and state = 'pending' and attempt = 0 order by next_at limit 1)
          ) as first)) end,
        retry_at = case when changed.in_flight < max_in_flight then greatest(changed.paused_until, (
          select min(next_at) from notifications.deliveries
          where destination_key = destination.key and state = 'pending' and attempt > 0)) end
    from (
      select key, before.in_flight + change.in_flight as in_flight,
        coalesce(change.failures, before.failures) as failures,
        case when change.pause > 0
          then greatest(before.paused_until, clock_timestamp() + make_interval(secs => change.pause))
          else before.paused_until end as paused_until
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as change (key text, in_flight int, failures int, pause float8)
      join notifications.destinations as before using (key)
    ) as changed
    where destination.key = changed.key`)
}
