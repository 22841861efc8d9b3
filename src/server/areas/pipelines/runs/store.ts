import { notFound } from '#contract/core/errors.ts'
import type { PipelineRun } from '#contract/pipelines.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Stored } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { RunOutcome } from './transition.ts'

export type RunRow = Stored<PipelineRun> & { readonly pipeline_id: string }

const columns = sql`
  id, pipeline_id, trigger, scheduled_at, state, requested_by, created_at, started_at, ended_at, reason_code, reason`

/** Returns false when the time of the schedule was decided before. */
export async function insertRun(tx: Tx, row: RunRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into pipelines.runs (${columns})
    values (${row.id}, ${row.pipeline_id}, ${row.trigger}, ${row.scheduled_at}, ${row.state}, ${row.requested_by},
      ${row.created_at}, ${row.started_at}, ${row.ended_at}, ${row.reason_code}, ${row.reason})
    on conflict (pipeline_id, scheduled_at) do nothing
    returning id`)
  return rows.length === 1
}

/** Whether a run was handed to the workers and has not ended, and how many wait for it. */
export async function countOpenRuns(tx: Tx, pipelineId: string): Promise<{ active: number; waiting: number }> {
  const [row] = await tx.query<{ active: number; waiting: number }>(sql`
    select count(call_id)::int as active, (count(*) - count(call_id))::int as waiting
    from pipelines.runs where pipeline_id = ${pipelineId} and ended_at is null`)
  return row!
}

export async function setCall(tx: Tx, runId: string, callId: string): Promise<void> {
  await tx.query(sql`update pipelines.runs set call_id = ${callId} where id = ${runId}`)
}

/** The run that waits longest. */
export async function findWaitingRun(tx: Tx, pipelineId: string): Promise<RunRow | undefined> {
  const [row] = await tx.query<RunRow>(sql`
    select ${columns} from pipelines.runs
    where pipeline_id = ${pipelineId} and call_id is null and ended_at is null
    order by id limit 1`)
  return row
}

export async function markStarted(tx: Tx, runIds: readonly string[], at: Date): Promise<void> {
  await tx.query(sql`
    update pipelines.runs set state = 'running', started_at = ${at}
    where id = any(${runIds}::text[]) and state = 'queued'`)
}

type RunEnd = {
  readonly outcome: RunOutcome
  readonly at: Date
  readonly code: string | null
  readonly reason: string | null
}

/** Returns undefined for a run that has ended already. */
export async function endRun(
  tx: Tx,
  runId: string,
  { outcome, at, code, reason }: RunEnd,
): Promise<RunRow | undefined> {
  const [row] = await tx.query<RunRow>(sql`
    update pipelines.runs set state = ${outcome}, ended_at = ${at}, reason_code = ${code}, reason = ${reason}
    where id = ${runId} and ended_at is null
    returning ${columns}`)
  return row
}

/** Ends the runs of a pipeline that wait for another one. */
export async function skipWaitingRuns(tx: Tx, pipelineId: string, end: Omit<RunEnd, 'outcome'>): Promise<void> {
  await tx.query(sql`
    update pipelines.runs
    set state = 'skipped', ended_at = ${end.at}, reason_code = ${end.code}, reason = ${end.reason}
    where pipeline_id = ${pipelineId} and call_id is null and ended_at is null`)
}

/** The pipeline of a run, so that its row can be locked before the run's. */
export async function findPipelineOf(tx: Tx, runId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ pipeline_id: string }>(sql`
    select pipeline_id from pipelines.runs where id = ${runId}`)
  return row?.pipeline_id
}

/** Newest first, one row more than `limit`. */
export function pageRuns(db: Querier, pipelineId: string, { before, limit }: PageQuery): Promise<RunRow[]> {
  return db.query<RunRow>(sql`
    select ${columns} from pipelines.runs
    where pipeline_id = ${pipelineId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function requireRun(db: Querier, pipelineId: string, runId: string): Promise<RunRow> {
  const [row] = await db.query<RunRow>(sql`
    select ${columns} from pipelines.runs where pipeline_id = ${pipelineId} and id = ${runId}`)
  if (!row) throw notFound('run')
  return row
}

/** The latest run of each pipeline; pipelines without one have no entry. */
export async function findLatestRuns(db: Querier, pipelineIds: readonly string[]) {
  const rows = await db.query<RunRow>(sql`
    select latest.* from unnest(${pipelineIds}::text[]) as pipeline (id)
    cross join lateral (
      select ${columns} from pipelines.runs where pipeline_id = pipeline.id order by id desc limit 1
    ) as latest`)
  return new Map(rows.map((row) => [row.pipeline_id, row]))
}
