import { lowestId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deleteOldRuns, deleteRunsWithoutCheck } from './runs-store.ts'

const EVERY_MS = 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const ROWS_PER_STATEMENT = 1_000

/** Deletes runs that are too old and those of checks that are gone, every hour and in small steps. */
export function retentionLoop({ db, keepDays }: { db: Db; keepDays: number }): Loop {
  return {
    name: 'checks-retention',
    leader: true,
    async tick(now, signal) {
      const beforeId = lowestId('ckr', new Date(now.getTime() - keepDays * DAY_MS))
      await repeatWhileFull(signal, ROWS_PER_STATEMENT, () => deleteOldRuns(db, beforeId, ROWS_PER_STATEMENT))
      await repeatWhileFull(signal, ROWS_PER_STATEMENT, () => deleteRunsWithoutCheck(db, ROWS_PER_STATEMENT))
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}
