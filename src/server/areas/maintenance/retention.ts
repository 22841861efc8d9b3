import { lowestId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deleteOld, dropLines } from './retention-store.ts'

/** Runs stay for good. What they read and staged is of use while somebody may ask about it or retry a proposal. */
const KEEP_DAYS = 90
const EVERY_MS = 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const ROWS_PER_STATEMENT = 1_000

export function retentionLoop({ db }: { db: Db }): Loop {
  return {
    name: 'maintenance-retention',
    leader: true,
    async tick(now, signal) {
      const before = new Date(now.getTime() - KEEP_DAYS * DAY_MS)
      const beforeId = lowestId('exe', before)
      for (const table of ['evidence', 'edits'] as const) {
        await repeatWhileFull(signal, ROWS_PER_STATEMENT, () => deleteOld(db, table, beforeId, ROWS_PER_STATEMENT))
      }
      await repeatWhileFull(signal, ROWS_PER_STATEMENT, () => dropLines(db, before, ROWS_PER_STATEMENT))
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}
