import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { findLogsToRemove, removeLogs, removeOldRuns } from './retention-store.ts'

const EVERY_MS = 5 * 60_000
/** How many runs of one pipeline are kept, and for how long. */
export const KEPT_RUNS = 1_000
const KEPT_DAYS = 90
const DAY_MS = 24 * 60 * 60_000
/** Size of the stored logs of all pipeline runs of one app together. */
const MAX_LOG_BYTES_PER_APP = 64 * 1024 * 1024
const BATCH = 500

/** Removes old runs, and logs of apps that have too much of them, in small transactions. */
export function runRetention({ db }: { db: Db }): Loop {
  return {
    name: 'pipelines-run-retention',
    leader: true,
    async tick(now, signal) {
      const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
      await repeatWhileFull(signal, BATCH, () => removeOldRuns(db, { before, keptRuns: KEPT_RUNS, limit: BATCH }))
      await repeatWhileFull(signal, BATCH, () => removeSomeLogs(db, now))
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}

async function removeSomeLogs(db: Db, now: Date): Promise<number> {
  const runs = await findLogsToRemove(db, MAX_LOG_BYTES_PER_APP, BATCH)
  const ids = runs.map(({ id }) => id)
  if (ids.length > 0) await db.tx((tx) => removeLogs(tx, ids, now))
  return ids.length
}
