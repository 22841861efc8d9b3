import { lowestId } from '#edge/ids.ts'
import type { SeriesTime } from '#edge/route/series-time.ts'
import type { Querier } from '#lib/db/db.ts'
import { integer, sql } from '#lib/db/sql.ts'

type BucketRow = {
  readonly at: Date
  readonly runs: number
  readonly succeeded: number
  readonly failed: number
  readonly not_run: number
  readonly under_way: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

const NO_RUNS = { runs: 0, succeeded: 0, failed: 0, not_run: 0, under_way: 0, p50_ms: null, p95_ms: null }

/** Counts the runs that were made in each bucket with one. Ids sort by time, so that the index of the history finds the runs. */
export function readRunBuckets(
  db: Querier,
  pipelineId: string,
  { from, until, seconds }: SeriesTime & { readonly seconds: number },
): Promise<BucketRow[]> {
  return db.query<BucketRow>(sql`
    select date_bin(make_interval(secs => ${integer(seconds)}), created_at, ${from}) as at, count(*)::int as runs,
      (count(*) filter (where state = 'succeeded'))::int as succeeded,
      (count(*) filter (where state = 'failed'))::int as failed,
      (count(*) filter (where state in ('skipped', 'missed', 'host_offline')))::int as not_run,
      (count(*) filter (where state in ('queued', 'running')))::int as under_way,
      percentile_disc(0.5) within group (order by ms) as p50_ms,
      percentile_disc(0.95) within group (order by ms) as p95_ms
    from pipelines.runs,
      lateral (select (extract(epoch from ended_at - started_at) * 1000)::int as ms) as took
    where pipeline_id = ${pipelineId} and id >= ${lowestId('plr', from)} and id < ${lowestId('plr', until)}
    group by 1`)
}

export function toPoint(at: string, [row]: readonly BucketRow[]) {
  return { ...(row ?? NO_RUNS), at }
}
