import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { matching, OUTCOME, type RecordFilter, shownTarget } from './store.ts'

type Span = RecordFilter & { from: Date; to: Date; bucket: 'hour' | 'day'; timezone: string }

type Counts = { [K in 'total' | 'mcp' | 'cli' | 'api' | 'answered' | 'refused' | 'failed' | 'unknown']: number }
export type BucketRow = Counts & { start: Date; p50_ms: number | null; p95_ms: number | null }

const MAX_TARGETS = 7
const MAX_PEOPLE = 10

/** Days begin in the timezone, hours do not depend on it: the hour that a change of daylight saving time repeats is two. */
function startOf({ bucket, timezone }: Span, time: Sql): Sql {
  return bucket === 'hour' ? sql`date_trunc('hour', ${time})` : sql`date_trunc('day', ${time}, ${timezone})`
}

/** Every bucket from the first to the last, also those without records. */
function series(span: Span): Sql {
  const { bucket, timezone, from, to } = span
  const first = startOf(span, sql`${from}::timestamptz`)
  if (bucket === 'hour') return sql`generate_series(${first}, ${to}::timestamptz - interval '1 ms', interval '1 hour')`
  return sql`(select day at time zone ${timezone} from generate_series(
    ${first} at time zone ${timezone}, (${to}::timestamptz - interval '1 ms') at time zone ${timezone}, interval '1 day') day)`
}

export async function countByBucket(db: Querier, span: Span): Promise<BucketRow[]> {
  return db.query<BucketRow>(sql`
    with call as (
      select ${startOf(span, sql`asked_at`)} as start, source, ${OUTCOME} as outcome, duration_ms
      from activity.records where ${matching(span)}
    ), counted as (
      select start, count(*) as total,
        count(*) filter (where source = 'mcp') as mcp,
        count(*) filter (where source = 'cli') as cli,
        count(*) filter (where source = 'api') as api,
        count(*) filter (where outcome = 'answered') as answered,
        count(*) filter (where outcome = 'refused') as refused,
        count(*) filter (where outcome = 'failed') as failed,
        count(*) filter (where outcome = 'unknown') as unknown,
        percentile_cont(array[0.5, 0.95]) within group (order by duration_ms)
          filter (where outcome = 'answered') as milliseconds
      from call group by start
    )
    select bucket.start, coalesce(total, 0)::int as total, coalesce(mcp, 0)::int as mcp, coalesce(cli, 0)::int as cli,
      coalesce(api, 0)::int as api, coalesce(answered, 0)::int as answered, coalesce(refused, 0)::int as refused,
      coalesce(failed, 0)::int as failed, coalesce(unknown, 0)::int as unknown,
      milliseconds[1] as p50_ms, milliseconds[2] as p95_ms
    from ${series(span)} as bucket (start) left join counted using (start)
    order by start`)
}

export type TargetRow = { start: Date; target: string | null; total: number }

/** Counts the targets that were called most; the others have no name and are counted together. */
export async function countByTarget(db: Querier, span: Span): Promise<TargetRow[]> {
  return db.query<TargetRow>(sql`
    with call as (
      select ${startOf(span, sql`asked_at`)} as start, ${shownTarget(span)} as target
      from activity.records where ${matching(span)}
    ), most as (
      select target as name from call group by target order by count(*) desc, target limit ${MAX_TARGETS}
    )
    select start, most.name as target, count(*)::int as total
    from call left join most on most.name = call.target
    group by start, most.name`)
}

type PersonRow = { user_id: string | null; total: number; failed: number; most_called: string }

export async function countByPerson(db: Querier, span: Span): Promise<PersonRow[]> {
  return db.query<PersonRow>(sql`
    select user_id, count(*)::int as total, (count(*) filter (where ${OUTCOME} = 'failed'))::int as failed,
      mode() within group (order by ${shownTarget(span)}) as most_called
    from activity.records where ${matching(span)}
    group by user_id order by total desc, user_id limit ${MAX_PEOPLE}`)
}
