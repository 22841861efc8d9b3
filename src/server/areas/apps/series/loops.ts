import { MAX_SERIES_DAYS } from '#contract/core/series.ts'
import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { AppSums } from '../counts/app-counts.ts'
import { addSums, deleteRowsBefore, requireAnswer } from './store.ts'

type Deps = {
  readonly db: Db
  /** Returns what was counted of apps since the last call. */
  readonly takeCounts: () => Promise<readonly AppSums[]>
}

const WRITE_MS = 5_000
const CLEAN_MS = 10 * 60_000
const DAY_MS = 24 * 60 * 60_000

/**
 * Stores what was counted of the apps behind the door of this process. What a failed statement had is dropped, because it
 * may have taken effect, and nothing is counted twice. Until the database answers again the counts stay where they are.
 */
export function seriesLoop({ db, takeCounts }: Deps): Loop {
  let hasFailed = false
  return {
    name: 'apps-series',
    async tick(now) {
      if (hasFailed) await requireAnswer(db)
      hasFailed = false
      const sums = await takeCounts()
      hasFailed = sums.length > 0
      await addSums(db, sums)
      hasFailed = false
      return new Date(now.getTime() + WRITE_MS)
    },
  }
}

/** Removes what was counted more than 14 days ago. */
export function seriesRetention({ db }: { readonly db: Db }): Loop {
  return {
    name: 'apps-series-retention',
    leader: true,
    async tick(now, signal) {
      await deleteRowsBefore(db, new Date(now.getTime() - MAX_SERIES_DAYS * DAY_MS), signal)
      return new Date(now.getTime() + CLEAN_MS)
    },
  }
}
