import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { type JobTable, releaseClaims } from '#lib/work/job-table.ts'
import { lockDestinations } from '../store/lock.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'
import type { ClaimedDelivery } from './claim.ts'

export const DELIVERY_JOBS: JobTable = {
  table: sql`notifications.deliveries`,
  isClaimed: sql`state = 'sending'`,
  undoClaim: sql`state = 'pending', attempt = attempt - 1, next_at = clock_timestamp(), started_at = null`,
}

/** Gives claims back that were never begun: no byte left, so the attempt is undone. */
export async function releaseDeliveries(db: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const keys = [...new Set(claimed.map(({ destination_key }) => destination_key))].sort()
  await db.tx(async (tx) => {
    await lockDestinations(tx, keys)
    await releaseClaims(tx, DELIVERY_JOBS, claimed)
    await rescheduleDestinations(tx, keys)
  })
}
