import type { Querier } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deleteRecordsBefore } from './store.ts'

const HOUR_MS = 60 * 60_000
const RETENTION_DAYS = 90
const MAX_DELETED_AT_ONCE = 5_000

/** Deletes records of questions after 90 days, because even a digest is data about a person. */
export function retentionLoop({ db }: { db: Querier }): Loop {
  return {
    name: 'activity-retention',
    leader: true,
    tick: async (now, signal) => {
      const before = new Date(now.getTime() - RETENTION_DAYS * 24 * HOUR_MS)
      let deleted = MAX_DELETED_AT_ONCE
      while (deleted === MAX_DELETED_AT_ONCE && !signal.aborted)
        deleted = await deleteRecordsBefore(db, before, MAX_DELETED_AT_ONCE)
      return new Date(now.getTime() + HOUR_MS)
    },
  }
}
