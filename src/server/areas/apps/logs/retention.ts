import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { addPartition, dropPartitions, hasFormerTable } from './partition-store.ts'
import { findLargeLogs, listLogs, removeLines } from './store.ts'

type Deps = {
  readonly db: Db
  /** An app's log may have this many bytes. The oldest lines above it are removed. */
  readonly maxBytes: number
  readonly maxAgeDays: number
}

const EVERY_MS = 5 * 60_000
const DAY_MS = 24 * 60 * 60_000
const BATCH_LINES = 5_000
/** A partition is a day or this part of the retention, so that there are few of them. */
const PARTITIONS = 14

/**
 * Removes lines that are too old by dropping their partition, and the oldest lines of logs that are too large one by one,
 * in small transactions. Makes the partition for new lines.
 */
export function logRetention({ db, maxBytes, maxAgeDays }: Deps): Loop {
  return {
    name: 'apps-log-retention',
    leader: true,
    async tick(now, signal) {
      const oldest = new Date(now.getTime() - maxAgeDays * DAY_MS)
      await addPartition(db, now, Math.max(maxAgeDays / PARTITIONS, 1) * DAY_MS)
      await dropPartitions(db, oldest)
      if (await hasFormerTable(db)) await emptyFormerTable(db, oldest, signal)
      for (let large = await findLargeLogs(db, maxBytes); large.length > 0 && !signal.aborted; ) {
        for (const { app_id } of large) await db.tx((tx) => removeLines(tx, app_id, BATCH_LINES))
        large = await findLargeLogs(db, maxBytes)
      }
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}

/** The lines of before partitions have any age. They are removed one by one until their partition is dropped. */
async function emptyFormerTable(db: Db, before: Date, signal: AbortSignal): Promise<void> {
  for (const { app_id } of await listLogs(db)) {
    await repeatWhileFull(signal, BATCH_LINES, () => db.tx((tx) => removeLines(tx, app_id, BATCH_LINES, before)))
  }
}
