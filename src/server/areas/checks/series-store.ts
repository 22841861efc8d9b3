import { lowestId } from '#edge/ids.ts'
import type { runBuckets } from '#edge/route/series-buckets.ts'
import type { Querier } from '#lib/db/db.ts'
import { integer, sql } from '#lib/db/sql.ts'
import { MAX_RUN_MS } from './overview-store.ts'
import type { RunCounts } from './runs-state.ts'

export type BucketRow = RunCounts & {
  readonly at: Date
  readonly indeterminate: number
  readonly p50_ms: number
  readonly p95_ms: number
}

/** Counts the runs that ended in each bucket with one. Ids sort by time, so that the index of the history finds the runs. */
export function readRunBuckets(
  db: Querier,
  checkId: string,
  { from, until, seconds }: ReturnType<typeof runBuckets>,
): Promise<BucketRow[]> {
  const first = lowestId('ckr', new Date(from.getTime() - MAX_RUN_MS))
  return db.query<BucketRow>(sql`
    select date_bin(make_interval(secs => ${integer(seconds)}), ended_at, ${from}) as at, count(*)::int as runs,
      (count(*) filter (where verdict = 'pass'))::int as passed,
      (count(*) filter (where verdict = 'fail'))::int as failed,
      (count(*) filter (where verdict = 'error'))::int as errors,
      (count(*) filter (where verdict = 'indeterminate'))::int as indeterminate,
      percentile_disc(0.5) within group (order by ms) as p50_ms,
      percentile_disc(0.95) within group (order by ms) as p95_ms
    from checks.runs,
      lateral (select greatest(0, extract(epoch from ended_at - started_at) * 1000)::int as ms) as took
    where check_id = ${checkId} and id >= ${first} and state = 'ended'
      and ended_at >= ${from} and ended_at < ${until}
    group by 1`)
}
