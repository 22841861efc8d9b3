import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ClaimedDelivery } from './claim.ts'
import { lockDestinations } from './lock.ts'
import { rescheduleDestinations } from './reschedule.ts'

/** Gives claims back that were never begun: no byte left, so the attempt is undone. */
export async function releaseDeliveries(db: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const keys = [...new Set(claimed.map(({ destination_key }) => destination_key))].sort()
  const fences = claimed.map(({ fence }) => fence)
  const ids = claimed.map(({ id }) => id)
  await db.tx(async (tx) => {
    await lockDestinations(tx, keys)
    await tx.query(sql`
      with released as (
        update notifications.deliveries
        set state = 'pending', attempt = attempt - 1, fence = null, lease_until = null, next_at = clock_timestamp()
        where id = any(${ids}::text[]) and state = 'sending' and fence = any(${fences}::bigint[])
        returning id, destination_key
      ), untraced as (
        delete from notifications.attempts where fence = any(${fences}::bigint[])
          and delivery_id in (select id from released)
      )
      update notifications.destinations as destination set in_flight = in_flight - released_here.count
      from (select destination_key, count(*) from released group by 1) as released_here
      where destination.key = released_here.destination_key`)
    await rescheduleDestinations(tx, keys)
  })
}
