import { readCheckSeries } from '#contract/checks/series.ts'
import { type Route, route } from '#edge/route/route.ts'
import { everyBucket, runBuckets } from '#edge/route/series-buckets.ts'
import { readSeriesTime } from '#edge/route/series-time.ts'
import { requireApp } from '#ports/apps.ts'
import type { CheckDeps } from './deps.ts'
import { stateOfRuns } from './runs-state.ts'
import { type BucketRow, readRunBuckets } from './series-store.ts'
import { requireCheck } from './store.ts'

const NO_RUNS = { runs: 0, passed: 0, failed: 0, errors: 0, indeterminate: 0, p50_ms: null, p95_ms: null }

export function seriesRoute({ db, clock, apps }: CheckDeps): Route {
  return route(readCheckSeries, async ({ alias, check, ...input }, { principal }) => {
    const app = await requireApp(apps, principal.org_id, alias)
    const { id } = await requireCheck(db, app.id, check)
    const buckets = runBuckets(readSeriesTime(input, clock.now()))
    const rows = await readRunBuckets(db, id, buckets)
    return { bucket_seconds: buckets.seconds, items: everyBucket(rows, buckets, toPoint) }
  })
}

function toPoint(at: string, [row]: readonly BucketRow[]) {
  const counts = row ?? NO_RUNS
  return { ...counts, at, state: stateOfRuns(counts) }
}
