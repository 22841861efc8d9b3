import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { lockDestinations } from '../queue/lock.ts'
import { rescheduleDestinations } from '../queue/reschedule.ts'
import type { ClaimedDelivery } from './claim.ts'

/** Gives claims back that were never begun: no byte left, so the attempt is undone. */
export async function releaseDeliveries(db: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const keys = [...new Set(claimed.map(({ destination_key }) => destination_key))].sort()
  const fences = claimed.map(({ fence }) => fence)
  const ids = claimed.map(({ id }) => id)
  await db.tx(async (tx) => {
    await lockDestinations(tx, keys)
    await tx.query(sql`
      update notifications.deliveries
      set state = 'pending', attempt = attempt - 1, fence = null, lease_until = null, next_at = clock_timestamp(),
          started_at = null
      where id = any(${ids}::text[]) and state = 'sending' and fence = any(${fences}::bigint[])`)
    await rescheduleDestinations(tx, keys)
  })
}
