import type { Db } from '#lib/db/db.ts'
import { addPartitions, dropPartitions, mixedPartitions } from '#lib/db/partitions/partitions.ts'
import type { Loop } from '#lib/work/loop.ts'
import { RECORDS } from './partitions.ts'
import { deleteRecordsBefore } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const RETENTION_DAYS = 90
const WEEKS_AHEAD = 4
const MAX_DELETED_AT_ONCE = 5_000

/**
 * Makes partitions ahead, and removes records after 90 days, because even a digest is data about a person. A partition is
 * dropped when its last day is that old. Partitions that are not of one week lose their old records one by one.
 */
export function retentionLoop({ db }: { db: Db }): Loop {
  return {
    name: 'activity-retention',
    leader: true,
    tick: async (now, signal) => {
      const isComplete = await addPartitions(db, RECORDS, now, WEEKS_AHEAD)
      const before = new Date(now.getTime() - RETENTION_DAYS * 24 * HOUR_MS)
      await dropPartitions(db, RECORDS, before)
      for (const partition of await mixedPartitions(db, RECORDS)) {
        let deleted = MAX_DELETED_AT_ONCE
        while (deleted === MAX_DELETED_AT_ONCE && !signal.aborted)
          deleted = await deleteRecordsBefore(db, partition, before, MAX_DELETED_AT_ONCE)
      }
      return new Date(now.getTime() + (isComplete ? HOUR_MS : 5 * MINUTE_MS))
    },
  }
}
