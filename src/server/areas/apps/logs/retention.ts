import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { findLargeLogs, listLogs, removeOldestLines, removeOldLines } from './store.ts'

type Deps = {
  readonly db: Db
  /** An app's log may have this many bytes. The oldest lines above it are removed. */
  readonly maxBytes: number
  readonly maxAgeDays: number
}

const EVERY_MS = 5 * 60_000
const DAY_MS = 24 * 60 * 60_000
const BATCH_LINES = 5_000

/** Removes lines that are too old or too many, in small transactions. */
export function logRetention({ db, maxBytes, maxAgeDays }: Deps): Loop {
  const repeat = async (remove: () => Promise<number>, signal: AbortSignal) => {
    while (!signal.aborted && (await remove()) === BATCH_LINES);
  }
  return {
    name: 'apps-log-retention',
    leader: true,
    async tick(now, signal) {
      const oldest = new Date(now.getTime() - maxAgeDays * DAY_MS)
      for (const { app_id } of await listLogs(db)) {
        await repeat(() => db.tx((tx) => removeOldLines(tx, app_id, oldest, BATCH_LINES)), signal)
      }
      for (let large = await findLargeLogs(db, maxBytes); large.length > 0 && !signal.aborted; ) {
        for (const { app_id } of large) await db.tx((tx) => removeOldestLines(tx, app_id, BATCH_LINES))
        large = await findLargeLogs(db, maxBytes)
      }
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}
