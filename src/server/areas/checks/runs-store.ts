import type { CheckRun, Verdict } from '#contract/checks/checks.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Claim } from '#lib/work/job-kind.ts'

/** Notified when a run was queued. */
export const RUNS_CHANNEL = 'checks_runs'

export type RunRow = {
  id: string
  check_id: string
  org_id: string
  app_id: string
  trigger: CheckRun['trigger']
  slot: Date | null
  requested_by: string | null
  state: CheckRun['state']
  attempt: number
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
  verdict: Verdict | null
  code: string | null
  detail: string | null
  tokens: number | null
}

const COLUMNS = sql`
  id, check_id, org_id, app_id, trigger, slot, requested_by, state, attempt, created_at, started_at, ended_at, verdict,
  code, detail, tokens`

type NewRun = Pick<RunRow, 'id' | 'check_id' | 'org_id' | 'app_id' | 'trigger' | 'slot' | 'requested_by' | 'created_at'>

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

export async function findRun(db: Querier, checkId: string, id: string): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>(sql`
    select ${COLUMNS} from checks.runs where check_id = ${checkId} and id = ${id}`)
  return row
}

/** Newest first, one row more than `limit`. */
export async function pageRuns(
  db: Querier,
  { checkId, after, limit }: { checkId: string; after: string | null; limit: number },
): Promise<RunRow[]> {
  return db.query(sql`
    select ${COLUMNS} from checks.runs
    where check_id = ${checkId} and (${after}::text is null or id < ${after})
    order by id desc limit ${limit + 1}`)
}

type EndedRun = { at: Date; verdict: Verdict; code: string | null; detail: string | null }

/** Newest runs of a check that ended, for parts that judge an app. Undefined if the app has no such check. */
export async function listEndedRuns(
  db: Querier,
  appId: string,
  name: string,
  limit: number,
): Promise<{ state: string; runs: EndedRun[] } | undefined> {
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

type WaitingRun = {
  readonly id: string
  readonly app_id: string
  readonly asks_app: boolean
  readonly asks_model: boolean
}

/** Whether a run asks the app itself, which only the process that hosts the app can do. */
const ASKS_APP = sql`
  coalesce((check_.definition->>'kind' = 'http' and check_.definition->>'target' like '/%')
    or check_.definition->>'path' is not null, false)`

/** Runs that can be claimed, oldest first: queued ones, and those whose process died. Also runs of deleted checks. */
export async function findClaimable(db: Querier, limit: number): Promise<WaitingRun[]> {
  return db.query(sql`
    select run.id, run.app_id, ${ASKS_APP} as asks_app,
      coalesce(check_.definition->>'kind' = 'agent', false) as asks_model
    from (
      select id, app_id, check_id from checks.runs waiting
      where state = 'queued'
        and not exists (select from checks.runs where check_id = waiting.check_id and state = 'running')
      union all
      select id, app_id, check_id from checks.runs where state = 'running' and lease_until <= clock_timestamp()
    ) run left join checks.checks check_ on check_.id = run.check_id
    order by run.id limit ${limit}`)
}

export type ClaimedRun = Claim & Pick<RunRow, 'check_id' | 'org_id' | 'app_id' | 'attempt' | 'requested_by'>

/** Claims those of the runs that are still claimable. */
export async function claimRuns(db: Querier, ids: readonly string[], leaseSeconds: number): Promise<ClaimedRun[]> {
  return db.query(sql`
    update checks.runs run
    set state = 'running', attempt = attempt + 1, fence = nextval('svc.fences'), started_at = clock_timestamp(),
        lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id in (
      select id from checks.runs candidate
      where id = any(${[...ids]}::text[])
        and (state = 'queued'
            and not exists (select from checks.runs other where other.check_id = candidate.check_id
              and other.state = 'running')
          or state = 'running' and lease_until <= clock_timestamp())
      order by id for update skip locked)
    returning run.id, run.fence, run.check_id, run.org_id, run.app_id, run.attempt, run.requested_by`)
}

export async function renewRuns(db: Querier, runs: readonly Claim[], leaseSeconds: number): Promise<Claim[]> {
  return db.query(sql`
    update checks.runs set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id in (select id from checks.runs where id = any(${runs.map(({ id }) => id)}::text[]) order by id for update)
      and state = 'running' and fence = any(${runs.map(({ fence }) => fence)}::bigint[])
    returning id, fence`)
}

/**
 * Gives back claims that were never begun. One whose check has another run that waits is left out and is claimed again
 * when its lease has run out.
 */
export async function releaseRuns(db: Pick<Db, 'query'>, runs: readonly Claim[]): Promise<void> {
  await db.query(sql`
    update checks.runs run
    set state = 'queued', attempt = attempt - 1, fence = null, lease_until = null, started_at = null
    where id = any(${runs.map(({ id }) => id)}::text[]) and state = 'running'
      and fence = any(${runs.map(({ fence }) => fence)}::bigint[])
      and not exists (select from checks.runs other where other.check_id = run.check_id and other.state = 'queued')`)
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
export async function deleteOrphans(db: Querier, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from checks.runs where id in (
      select run.id from checks.runs run
      where run.state <> 'running' and not exists (select from checks.checks where id = run.check_id)
      limit ${limit})
    returning id`)
  return rows.length
}
