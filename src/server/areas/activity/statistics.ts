import { type ActivityStatistics, activityStatistics } from '#contract/activity.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import { isTimezone } from '#lib/time/timezone.ts'
import { namesOf } from './names.ts'
import { type RecordsDeps, toRecordFilter } from './record-filter.ts'
import { type BucketRow, countByBucket, countByPerson, countByTarget, type TargetRow } from './statistics-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DEFAULT_DAYS = 7
const MAX_DAYS = { hour: 8, day: 92 } as const

export function statisticsRoute({ db, clock, people, selectExposed }: RecordsDeps): Route {
  return route(activityStatistics, async ({ bucket, timezone, ...filters }, { principal }) => {
    const to = filters.to === undefined ? clock.now() : new Date(filters.to)
    const from = filters.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(filters.from)
    refuseUnusable({ from, to, bucket, timezone })
    const filter = { ...toRecordFilter(filters, principal, selectExposed), from, to, bucket, timezone }
    const buckets = await countByBucket(db, filter)
    const targets = await countByTarget(db, filter)
    const callers = await countByPerson(db, filter)
    const names = await namesOf(people, principal.org_id, callers)
    return {
      buckets: buckets.map(presentBucket),
      targets: presentTargets(buckets, targets),
      people: callers.map((row) => ({ ...row, user_name: names.get(row.user_id ?? '') ?? null })),
    }
  })
}

type Span = { from: Date; to: Date; bucket: 'hour' | 'day'; timezone: string }

function refuseUnusable({ from, to, bucket, timezone }: Span): void {
  const refuse = (path: string, message: string): never => {
    throw new ServiceError('INVALID_REQUEST', message, { errors: [{ path, message }] })
  }
  if (!isTimezone(timezone)) refuse('timezone', 'This is not a timezone. Use an IANA name such as Europe/Berlin.')
  if (from >= to) refuse('from', 'This is not before `to`. Give an earlier time.')
  if (to.getTime() - from.getTime() > MAX_DAYS[bucket] * DAY_MS) {
    refuse('from', `At most ${MAX_DAYS[bucket]} days can be counted by ${bucket}. Give a later time.`)
  }
}

function presentBucket(row: BucketRow): ActivityStatistics['buckets'][number] {
  const { start, total, mcp, cli, api, answered, refused, failed, unknown, p50_ms, p95_ms } = row
  return {
    start: start.toISOString(),
    total,
    by_source: { mcp, cli, api },
    by_outcome: { answered, refused, failed, unknown },
    p50_ms,
    p95_ms,
  }
}

/** Turns rows of bucket, target and count into one list of counts for each target, the most called first. */
function presentTargets(buckets: readonly BucketRow[], rows: readonly TargetRow[]): ActivityStatistics['targets'] {
  const position = new Map(buckets.map(({ start }, index) => [start.getTime(), index]))
  const counts = new Map<string | null, number[]>()
  for (const { start, target, total } of rows) {
    const row = counts.get(target) ?? buckets.map(() => 0)
    row[position.get(start.getTime())!] = total
    counts.set(target, row)
  }
  return [...counts]
    .map(([target, row]) => ({ target, total: row.reduce((sum, count) => sum + count, 0), counts: row }))
    .toSorted((a, b) => Number(a.target === null) - Number(b.target === null) || b.total - a.total)
}
