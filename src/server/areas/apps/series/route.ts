import { readSeries } from '#contract/apps/series.ts'
import { type Route, route } from '#edge/route/route.ts'
import { bucketSeconds, wholeBuckets } from '#edge/route/series-buckets.ts'
import { readSeriesTime } from '#edge/route/series-time.ts'
import type { AppDeps } from '../model/deps.ts'
import { requireApp } from '../model/store.ts'
import { listLiveMarks, readRows } from './store.ts'
import { toPoints } from './widen.ts'

const MAX_BUCKETS = 300
const MAX_MARKS = 100

export function seriesRoute({ db, clock }: Pick<AppDeps, 'db' | 'clock'>): Route {
  return route(readSeries, async ({ alias, ...input }, { principal }) => {
    const app = await requireApp(db, principal.org_id, alias)
    const time = readSeriesTime(input, clock.now())
    const seconds = bucketSeconds(time, MAX_BUCKETS)
    const whole = wholeBuckets(time, seconds)
    const rows = await readRows(db, app.id, whole)
    const marks = await listLiveMarks(db, app.id, { ...whole, limit: MAX_MARKS })
    return {
      bucket_seconds: seconds,
      items: toPoints(rows, whole, seconds),
      deploys: marks.map((mark) => ({ ...mark, live_at: mark.live_at.toISOString() })),
    }
  })
}
