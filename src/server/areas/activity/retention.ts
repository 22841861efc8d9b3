import type { Querier } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deleteRecordsBefore } from './store.ts'

const HOUR_MS = 60 * 60_000
const KEPT_DAYS = 90
const BATCH = 5_000

/** A digest is still about somebody: records are kept as long as they are of use, and no longer. */
export function retentionLoop({ db }: { db: Querier }): Loop {
  return {
    name: 'activity-retention',
    leader: true,
    tick: async (now, signal) => {
      const before = new Date(now.getTime() - KEPT_DAYS * 24 * HOUR_MS)
      let deleted = BATCH
      while (deleted === BATCH && !signal.aborted) deleted = await deleteRecordsBefore(db, before, BATCH)
      return new Date(now.getTime() + HOUR_MS)
    },
  }
}
