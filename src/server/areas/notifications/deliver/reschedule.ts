import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/**
 * Sets when each destination can be sent to next. The caller holds locks on the rows from an earlier statement: a
 * statement that had waited for the lock itself would not see what the former holder of it added.
 */
export async function rescheduleDestinations(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.query(sql`
    update notifications.destinations as destination
    set first_at = case when in_flight < max_in_flight then greatest(paused_until, (
          select min(due_at) from (
            (select clock_timestamp() as due_at from notifications.notifications
             where destination_key = destination.key
               and delivery_id is null and dropped_reason is null and window_end is null limit 1)
            union all
            (select next_at from notifications.deliveries
             where destination_key = destination.key and state = 'pending' and attempt = 0 order by next_at limit 1)
          ) as first)) end,
        retry_at = case when in_flight < max_in_flight then greatest(paused_until, (
          select min(next_at) from notifications.deliveries
          where destination_key = destination.key and state = 'pending' and attempt > 0)) end
    where key = any(${[...keys]}::text[])`)
}
