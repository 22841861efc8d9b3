import { notFound } from '#contract/core/errors.ts'
import type { Pipeline, PipelineState } from '#contract/pipelines.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Stored } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'

/** Notified when the time at which a pipeline is next due may have changed. */
export const SCHEDULE_CHANNEL = 'pipelines_schedule'

export type PipelineRow = Stored<Omit<Pipeline, 'next_run_at' | 'is_served' | 'last_run'>> & {
  readonly org_id: string
  readonly app_id: string
  readonly next_at: Date | null
  readonly created_at: Date
}

const columns = sql`
  id, org_id, app_id, name, description, schedule, timezone, concurrency, timeout_seconds, enabled, state, state_since,
  next_at, created_at`

/** Newest first, one row more than `limit`. */
export function pagePipelines(db: Querier, appId: string, { before, limit }: PageQuery): Promise<PipelineRow[]> {
  return db.query<PipelineRow>(sql`
    select ${columns} from pipelines.pipelines
    where app_id = ${appId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function requirePipeline(db: Querier, appId: string, name: string): Promise<PipelineRow> {
  const [row] = await db.query<PipelineRow>(sql`
    select ${columns} from pipelines.pipelines where app_id = ${appId} and name = ${name}`)
  if (!row) throw notFound('pipeline')
  return row
}

/** Holds off every other change of the pipeline and of its runs until the transaction ends. */
export async function lockPipeline(tx: Tx, id: string): Promise<PipelineRow> {
  const row = await findAndLockPipeline(tx, id)
  if (!row) throw notFound('pipeline')
  return row
}

/** As `lockPipeline`, and returns undefined if it was deleted. */
export async function findAndLockPipeline(tx: Tx, id: string): Promise<PipelineRow | undefined> {
  const [row] = await tx.query<PipelineRow>(sql`
    select ${columns} from pipelines.pipelines where id = ${id} for update`)
  return row
}

/** `held_until`: until when its slot may wait because of restarts of svc, if it does. */
export type LockedPipeline = PipelineRow & { readonly held_until: Date | null }

/** Locks a pipeline that is due. Returns undefined when it is not any more, or when another process is at it. */
export async function lockDuePipeline(tx: Tx, id: string, now: Date): Promise<LockedPipeline | undefined> {
  const [row] = await tx.query<LockedPipeline>(sql`
    select ${columns}, held_until from pipelines.pipelines where id = ${id} and next_at <= ${now} for update skip locked`)
  return row
}

export type DuePipeline = { readonly id: string; readonly next_at: Date }

export function pageDuePipelines(
  db: Querier,
  { now, after, limit }: { now: Date; after: DuePipeline | undefined; limit: number },
): Promise<DuePipeline[]> {
  const from = after ? sql`and (next_at, id) > (${after.next_at}, ${after.id})` : sql``
  return db.query<DuePipeline>(sql`
    select id, next_at from pipelines.pipelines
    where next_at <= ${now} ${from}
    order by next_at, id limit ${limit}`)
}

export async function findNextDue(db: Querier, after: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ next_at: Date | null }>(sql`
    select min(next_at) as next_at from pipelines.pipelines where next_at > ${after}`)
  return row?.next_at ?? undefined
}

export async function setNextSlot(tx: Tx, id: string, nextAt: Date | undefined): Promise<void> {
  await tx.query(sql`
    update pipelines.pipelines set next_at = ${nextAt ?? null}, held_until = null where id = ${id}`)
}

export async function setHeldUntil(tx: Tx, id: string, until: Date): Promise<void> {
  await tx.query(sql`update pipelines.pipelines set held_until = ${until} where id = ${id}`)
}

export async function setEnabled(
  tx: Tx,
  id: string,
  { enabled, next_at }: Pick<PipelineRow, 'enabled' | 'next_at'>,
): Promise<void> {
  await tx.query(sql`
    update pipelines.pipelines set enabled = ${enabled}, next_at = ${next_at} where id = ${id}`)
  await notify(tx, SCHEDULE_CHANNEL)
}

export async function setState(tx: Tx, id: string, state: PipelineState, since: Date): Promise<void> {
  await tx.query(sql`update pipelines.pipelines set state = ${state}, state_since = ${since} where id = ${id}`)
}

export async function deletePipelineRow(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from pipelines.pipelines where id = ${id}`)
}

/** All pipelines of an app, not locked: a worker that connects again must not wait for a run of them. */
export function listPipelinesOf(tx: Tx, appId: string): Promise<PipelineRow[]> {
  return tx.query<PipelineRow>(sql`select ${columns} from pipelines.pipelines where app_id = ${appId}`)
}

export async function insertPipeline(tx: Tx, row: PipelineRow): Promise<void> {
  await tx.query(sql`
    insert into pipelines.pipelines (${columns})
    values (${row.id}, ${row.org_id}, ${row.app_id}, ${row.name}, ${row.description}, ${row.schedule},
      ${row.timezone}, ${row.concurrency}, ${row.timeout_seconds}, ${row.enabled}, ${row.state}, ${row.state_since},
      ${row.next_at}, ${row.created_at})`)
}

export async function updatePipeline(tx: Tx, row: PipelineRow): Promise<void> {
  await tx.query(sql`
    update pipelines.pipelines set
      description = ${row.description}, schedule = ${row.schedule}, timezone = ${row.timezone},
      concurrency = ${row.concurrency}, timeout_seconds = ${row.timeout_seconds}, next_at = ${row.next_at}
    where id = ${row.id}`)
}
