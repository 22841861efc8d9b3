import { MAX_SERIES_DAYS, readSeries } from '#contract/apps/series.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { AppDeps } from '../model/deps.ts'
import { requireApp } from '../model/store.ts'
import { listLiveMarks, readRows } from './store.ts'
import { pointSeconds, toPoints, wholePoints } from './widen.ts'

const DAY_MS = 24 * 60 * 60_000
const MAX_MARKS = 100

export function seriesRoute({ db, clock }: Pick<AppDeps, 'db' | 'clock'>): Route {
  return route(readSeries, async ({ alias, ...input }, { principal }) => {
    const app = await requireApp(db, principal.org_id, alias)
    const time = readTime(input, clock.now())
    const seconds = pointSeconds(time)
    const whole = wholePoints(time, seconds)
    const rows = await readRows(db, app.id, whole)
    const marks = await listLiveMarks(db, app.id, { ...whole, limit: MAX_MARKS })
    return {
      bucket_seconds: seconds,
      items: toPoints(rows, whole, seconds),
      deploys: marks.map((mark) => ({ ...mark, live_at: mark.live_at.toISOString() })),
    }
  })
}

type Times = { readonly from?: string | undefined; readonly until?: string | undefined }

function readTime({ from: first, until: last }: Times, now: Date): { from: Date; until: Date } {
  const until = last === undefined ? now : new Date(last)
  const from = first === undefined ? new Date(until.getTime() - DAY_MS) : new Date(first)
  const ms = until.getTime() - from.getTime()
  if (ms <= 0) throw refusal('until', 'must be later than from')
  if (ms > MAX_SERIES_DAYS * DAY_MS) throw refusal('from', `must be at most ${MAX_SERIES_DAYS} days before until`)
  return { from, until }
}

function refusal(path: string, message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}
