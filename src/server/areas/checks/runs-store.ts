import type { CheckRun, Verdict } from '#contract/checks/checks.ts'
import { notFound } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Stored } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Claim } from '#lib/work/job-kind.ts'
import { type JobTable, newGrant, releaseClaims } from '#lib/work/job-table.ts'
import { leaseEnd } from '#lib/work/lease.ts'
import type { CheckRow } from './store.ts'

/** Notified when a run was queued. */
export const RUNS_CHANNEL = 'checks_runs'

export type RunRow = Stored<Omit<CheckRun, 'scheduled_at'>> & {
  readonly check_id: string
  readonly org_id: string
  readonly app_id: string
  readonly slot: Date | null
  readonly attempt: number
}

const COLUMNS = sql`
  id, check_id, org_id, app_id, trigger, slot, requested_by, state, attempt, created_at, started_at, ended_at, verdict,
  code, detail, tokens`

type NewRun = Pick<RunRow, 'id' | 'check_id' | 'org_id' | 'app_id' | 'trigger' | 'slot' | 'requested_by' | 'created_at'>

/** Makes a run that waits. One without a slot was started by a person. */
export function newRun(check: CheckRow, slot: Date | null, requested_by: string | null, created_at: Date): NewRun {
  const { id: check_id, org_id, app_id } = check
  const trigger = slot ? 'schedule' : 'manual'
  return { id: newId('ckr'), check_id, org_id, app_id, trigger, slot, requested_by, created_at }
}

/**
 * Queues runs. One whose slot was queued before, or whose check has a run that waits, is left out: many workers can plan
 * the same slot, and it runs once. Returns those that were queued.
 */
export async function queueRuns(tx: Tx, runs: readonly NewRun[]): Promise<RunRow[]> {
  if (runs.length === 0) return []
  const queued = await tx.query<RunRow>(sql`
    insert into checks.runs (id, check_id, org_id, app_id, trigger, slot, requested_by, state, created_at)
    select id, check_id, org_id, app_id, trigger, slot, requested_by, 'queued', created_at
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as run (id text, check_id text, org_id text, app_id text,
      trigger text, slot timestamptz, requested_by text, created_at timestamptz)
    on conflict do nothing
    returning ${COLUMNS}`)
  if (queued.length > 0) await tx.query(sql`select pg_notify(${RUNS_CHANNEL}, '')`)
  return queued
}

export async function findQueuedRun(tx: Tx, checkId: string): Promise<RunRow | undefined> {
  const [row] = await tx.query<RunRow>(sql`
    select ${COLUMNS} from checks.runs where check_id = ${checkId} and state = 'queued'`)
  return row
}

export async function requireRun(db: Querier, checkId: string, id: string): Promise<RunRow> {
  const [row] = await db.query<RunRow>(sql`
    select ${COLUMNS} from checks.runs where check_id = ${checkId} and id = ${id}`)
  if (!row) throw notFound('run')
  return row
}

/** Newest first, one row more than `limit`. */
export async function pageRuns(db: Querier, checkId: string, { before, limit }: PageQuery): Promise<RunRow[]> {
  return db.query(sql`
    select ${COLUMNS} from checks.runs
    where check_id = ${checkId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

type EndedRun = { at: Date; verdict: Verdict; code: string | null; detail: string | null }

/** Newest runs of a check that ended, for parts that judge an app. Undefined if the app has no such check. */
export async function listEndedRuns(db: Querier, appId: string, name: string, limit: number) {
  const [check] = await db.query<{ id: string; state: string }>(sql`
    select id, state from checks.checks where app_id = ${appId} and name = ${name}`)
  if (!check) return undefined
  const runs = await db.query<EndedRun>(sql`
    select ended_at as at, verdict, code, detail from checks.runs
    where check_id = ${check.id} and state = 'ended' order by id desc limit ${limit}`)
  return { state: check.state, runs }
}

/** Removes scheduled runs that wait, because the check was paused. A run that a person asked for stays. */
export async function dropWaiting(tx: Tx, checkId: string): Promise<void> {
  await tx.query(sql`
    delete from checks.runs where check_id = ${checkId} and state = 'queued' and trigger = 'schedule'`)
}

/** A run is held back once for so long, and again only if nothing could begin it for the time of `HOLD_AGAIN_SECONDS`. */
type Hold = 'none' | 'open' | 'over'

/** After so long without a process that could run checks, a run that was held back before may be held back again. */
const HOLD_AGAIN_SECONDS = 10 * 60

const HOLD = sql`
  case when held_until is null or held_until <= clock_timestamp() - make_interval(secs => ${HOLD_AGAIN_SECONDS})
    then 'none' when held_until > clock_timestamp() then 'open' else 'over' end as hold`

export type WaitingRun = {
  readonly id: string
  readonly app_id: string
  readonly reads_log: boolean
  readonly asks_model: boolean
  readonly hold: Hold
}

/** Runs that can be claimed, oldest first: queued ones, and those whose process died. Also runs of deleted checks. */
export async function findClaimable(db: Querier, limit: number): Promise<WaitingRun[]> {
  return db.query(sql`
    select run.id, run.app_id, coalesce(check_.definition->>'kind' in ('log', 'agent'), false) as reads_log,
      coalesce(check_.definition->>'kind' = 'agent', false) as asks_model, ${HOLD}
    from (
      select id, app_id, check_id, held_until from checks.runs waiting
      where state = 'queued'
        and not exists (select from checks.runs where check_id = waiting.check_id and state = 'running')
      union all
      select id, app_id, check_id, held_until from checks.runs
      where state = 'running' and lease_until <= clock_timestamp()
    ) run left join checks.checks check_ on check_.id = run.check_id
    order by run.id limit ${limit}`)
}

/** Whether a run waits or runs. What can be claimed later than it was queued is one of these. */
export async function hasOpenRuns(db: Querier): Promise<boolean> {
  const rows = await db.query(sql`
    (select from checks.runs where state = 'queued' limit 1)
    union all (select from checks.runs where state = 'running' limit 1)`)
  return rows.length > 0
}

/** Begins to hold runs back. Those that are held back already go on until their end. */
export async function holdRuns(db: Querier, ids: readonly string[], seconds: number): Promise<void> {
  await db.query(sql`
    update checks.runs set held_until = ${leaseEnd(seconds)}
    where id = any(${[...ids]}::text[]) and state <> 'ended'
      and (held_until is null or held_until <= clock_timestamp() - make_interval(secs => ${HOLD_AGAIN_SECONDS}))`)
}

export type ClaimedRun = Claim &
  Pick<RunRow, 'check_id' | 'org_id' | 'app_id' | 'attempt' | 'requested_by'> & { readonly hold: Hold }

/** Claims those of the runs that are still claimable. */
export async function claimRuns(db: Querier, ids: readonly string[], leaseSeconds: number): Promise<ClaimedRun[]> {
  return db.query(sql`
    update checks.runs run
    set state = 'running', attempt = attempt + 1, started_at = clock_timestamp(), ${newGrant(leaseSeconds)}
    where id in (
      select id from checks.runs candidate
      where id = any(${[...ids]}::text[])
        and (state = 'queued'
            and not exists (select from checks.runs other where other.check_id = candidate.check_id
              and other.state = 'running')
          or state = 'running' and lease_until <= clock_timestamp())
      order by id for update skip locked)
    returning run.id, run.fence, run.check_id, run.org_id, run.app_id, run.attempt, run.requested_by,
      ${HOLD}`)
}

export const RUN_JOBS: JobTable = {
  table: sql`checks.runs`,
  isClaimed: sql`state = 'running'`,
  undoClaim: sql`state = 'queued', attempt = attempt - 1, started_at = null`,
}

/**
 * Gives back claims that were never begun. One whose check has another run that waits is left out and is claimed again
 * when its lease has run out.
 */
export function releaseRuns(db: Querier, runs: readonly Claim[]): Promise<void> {
  const isClaimed = sql`
    job.state = 'running' and not exists (
      select from checks.runs other where other.check_id = job.check_id and other.state = 'queued')`
  return releaseClaims(db, { ...RUN_JOBS, isClaimed }, runs)
}

/**
 * Lets a run be claimed again after so many seconds, as if this claim had not been: the run was begun, but svc itself
 * kept it from a verdict. Does nothing if it was claimed again since.
 */
export async function postponeRun(db: Querier, { id, fence }: Claim, seconds: number): Promise<void> {
  await db.query(sql`
    update checks.runs set attempt = attempt - 1, lease_until = ${leaseEnd(seconds)}
    where id = ${id} and fence = ${fence} and state = 'running'`)
}

type Result = Pick<RunRow, 'verdict' | 'code' | 'detail' | 'tokens'> & { readonly ended_at: Date }

/** Records the result under the fence of the claim. Returns false if the run was claimed again since, or is gone. */
export async function endRun(tx: Tx, { id, fence }: Claim, result: Result): Promise<boolean> {
  const rows = await tx.query(sql`
    update checks.runs
    set state = 'ended', lease_until = null, ended_at = ${result.ended_at}, verdict = ${result.verdict},
        code = ${result.code}, detail = ${result.detail}, tokens = ${result.tokens}
    where id = ${id} and fence = ${fence} and state = 'running'
    returning id`)
  return rows.length > 0
}

/** Removes a run whose check or app is gone. */
export async function removeRun(db: Querier, { id, fence }: Claim): Promise<void> {
  await db.query(sql`delete from checks.runs where id = ${id} and fence = ${fence} and state = 'running'`)
}

/** Deletes up to `limit` runs that ended and have an id below `beforeId`. Returns how many. */
export async function deleteOldRuns(db: Querier, beforeId: string, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from checks.runs where id in (
      select id from checks.runs where id < ${beforeId} and state = 'ended' order by id limit ${limit})
    returning id`)
  return rows.length
}

/** Deletes up to `limit` runs of checks that are gone. Returns how many. */
export async function deleteRunsWithoutCheck(db: Querier, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from checks.runs where id in (
      select run.id from checks.runs run
      where run.state <> 'running' and not exists (select from checks.checks where id = run.check_id)
      limit ${limit})
    returning id`)
  return rows.length
}
