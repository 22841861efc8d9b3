import { numberArray } from '#lib/db/array-literal.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { integer, sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import { type AppSums, COUNTED_MS } from '../counts/app-counts.ts'

const ROWS_PER_STATEMENT = 500

export type SeriesRow = Pick<AppSums, 'requests' | 'failed' | 'latencies'> & {
  readonly at: Date
  readonly memory_bytes: number | null
}

/** Adds what was counted. Sums of an app that does not exist, or did not exist then, are dropped. */
export async function addSums(db: Querier, sums: readonly AppSums[]): Promise<void> {
  for (let first = 0; first < sums.length; first += ROWS_PER_STATEMENT)
    await addRows(db, sums.slice(first, first + ROWS_PER_STATEMENT))
}

/** Always in the same order, because two processes that add rows of the same apps would otherwise wait for each other. */
async function addRows(db: Querier, sums: readonly AppSums[]): Promise<void> {
  const numbers = (of: (each: AppSums) => number) => numberArray(sums.map(of))
  await db.query(sql`
    insert into apps.series as stored (app_id, at, requests, failed, latencies, memory_bytes)
    select app.id, to_timestamp(ms / 1000), requests, failed, latencies::int[], nullif(memory, -1)
    from unnest(${sums.map(({ label }) => label)}::text[], ${numbers(({ at }) => at)}::float8[],
      ${numbers(({ requests }) => requests)}::int[], ${numbers(({ failed }) => failed)}::int[],
      ${sums.map(({ latencies }) => numberArray(latencies))}::text[],
      ${numbers(({ memoryBytes }) => memoryBytes ?? -1)}::bigint[]) as new (label, ms, requests, failed, latencies, memory)
    join apps.apps app on app.host_label = label and app.created_at < to_timestamp((ms + ${integer(COUNTED_MS)}) / 1000)
    order by app.id, ms
    on conflict (app_id, at) do update set
      requests = stored.requests + excluded.requests,
      failed = stored.failed + excluded.failed,
      latencies = array(
        select coalesce(old, 0) + coalesce(new, 0)
        from unnest(stored.latencies, excluded.latencies) with ordinality as both_counts (old, new, bucket)
        order by bucket),
      memory_bytes = greatest(stored.memory_bytes, excluded.memory_bytes)`)
}

/** Oldest first. */
export function readRows(
  db: Querier,
  appId: string,
  { from, until }: { from: Date; until: Date },
): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(sql`
    select at, requests, failed, latencies, memory_bytes from apps.series
    where app_id = ${appId} and at >= ${from} and at < ${until} order by at`)
}

export type HourRow = {
  readonly app_id: string
  readonly at: Date
  readonly requests: number
  readonly failed: number
}

/** Sums of each hour for all apps of an organization, or for those in which a person has a part. */
export function readHours(
  db: Querier,
  { orgId, which }: { orgId: string; which: 'all' | { readonly userId: string | null } },
  { from, until }: { from: Date; until: Date },
): Promise<HourRow[]> {
  const isTheirs =
    which === 'all'
      ? sql`true`
      : sql`exists (select from apps.people where app_id = app.id and user_id = ${which.userId})`
  return db.query<HourRow>(sql`
    select app.id as app_id, date_bin('1 hour', at, ${from}) as at, sum(requests)::int8 as requests,
      sum(failed)::int8 as failed
    from apps.apps app join apps.series on series.app_id = app.id and at >= ${from} and at < ${until}
    where app.org_id = ${orgId} and ${isTheirs}
    group by 1, 2`)
}

/** In small steps. */
export async function deleteRowsBefore(db: Db, before: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(db, sql`apps.series`, sql`at < ${before}`, signal)
}

type LiveMark = { readonly id: string; readonly message: string | null; readonly live_at: Date }

/** The newest deploys that went live in the time, oldest first, whatever became of them. */
export async function listLiveMarks(
  db: Querier,
  appId: string,
  { from, until, limit }: { from: Date; until: Date; limit: number },
): Promise<LiveMark[]> {
  const marks = await db.query<LiveMark>(sql`
    select deploys.id, deploys.live_at, revisions.message
    from apps.deploys join apps.revisions on revisions.id = deploys.revision_id
    where deploys.app_id = ${appId} and deploys.live_at >= ${from} and deploys.live_at < ${until}
    order by deploys.live_at desc, deploys.id desc limit ${limit}`)
  return marks.toReversed()
}

/** Rejects while the database does not answer. */
export async function requireAnswer(db: Querier): Promise<void> {
  await db.query(sql`select 1`)
}
