import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { removeOldRuns } from './retention-store.ts'

const EVERY_MS = 60 * 60_000
/** How many runs of one pipeline are kept, and for how long. */
export const KEPT_RUNS = 1_000
const KEPT_DAYS = 90
const DAY_MS = 24 * 60 * 60_000
const BATCH = 500

/** Removes old runs and their logs, in small transactions. */
export function runRetention({ db }: { db: Db }): Loop {
  return {
    name: 'pipelines-run-retention',
    leader: true,
    async tick(now, signal) {
      const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
      while (!signal.aborted && (await removeOldRuns(db, { before, kept: KEPT_RUNS, limit: BATCH })) === BATCH);
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}
