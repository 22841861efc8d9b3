import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ModelPrice } from '#ports/chat-model.ts'
import { RUNS_CHANNEL } from './channels.ts'

type PresentedKeys =
  | 'after_deploy'
  | 'execution_id'
  | 'terminal_code'
  | 'outcome'
  | 'exit_code'
  | 'cost'
  | 'created_at'
  | 'ended_at'

export type RunRow = Omit<MaintenanceRun, PresentedKeys> & {
  id: string
  terminal_code: TerminalCode | null
  /** US dollars, with six digits behind the point. */
  cost: string | null
  created_at: Date
  ended_at: Date | null
}

const COLUMNS = sql`
  id, mode, model, requested_by, status, terminal_code, tokens_spent,
  round(cost_usd, 6)::text as cost, summary, fingerprint, proposal_id, created_at,
  ended_at, coalesce((
    select json_agg(json_build_object('kind', kind, 'reference', reference, 'sha256', sha256, 'bytes', bytes) order by n)
    from maintenance.evidence where run_id = run.id), '[]') as evidence`

/** Newest first, one row more than `limit`. */
export async function pageRuns(db: Querier, page: { appId: string; after: string | null; limit: number }) {
  return db.query<RunRow>(sql`
    select ${COLUMNS} from maintenance.runs run
    where app_id = ${page.appId} and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1}`)
}

type RunKey = { id: string } | { key: string }

export async function findRun(db: Querier, appId: string, by: RunKey): Promise<RunRow | undefined> {
  const isMeant = 'id' in by ? sql`id = ${by.id}` : sql`idempotency_key = ${by.key}`
  const [row] = await db.query<RunRow>(sql`
    select ${COLUMNS} from maintenance.runs run where app_id = ${appId} and ${isMeant}`)
  return row
}

export type NewRun = {
  readonly id: string
  readonly orgId: string
  readonly appId: string
  readonly mode: RunRow['mode']
  readonly model: string
  readonly key?: string | null
  readonly requestedBy?: string | null
  /** The person whose change of the schedule made it due. */
  readonly dueBy?: string | null
  /** The time of the schedule that it belongs to. */
  readonly slotAt?: Date
  readonly at: Date
}

/** Queues a run, or records one that ended at once. Returns false if another run holds the app or has the key. */
export async function insertRun(tx: Tx, run: NewRun, ended: TerminalCode | null): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into maintenance.runs
      (id, org_id, app_id, mode, model, idempotency_key, requested_by, due_by, slot_at, status, terminal_code,
       created_at, ended_at)
    values
      (${run.id}, ${run.orgId}, ${run.appId}, ${run.mode}, ${run.model}, ${run.key ?? null}, ${run.requestedBy ?? null},
       ${run.dueBy ?? null}, ${run.slotAt ?? null}, ${ended === null ? 'queued' : 'ended'}, ${ended}, ${run.at},
       ${ended === null ? null : run.at})
    on conflict do nothing
    returning id`)
  if (rows.length > 0 && ended === null) await tx.query(sql`select pg_notify(${RUNS_CHANNEL}, '')`)
  return rows.length > 0
}

/** Call it after `holdRun`. */
export async function setRevision(tx: Tx, id: string, revisionId: string | null): Promise<void> {
  await tx.query(sql`update maintenance.runs set revision_id = ${revisionId} where id = ${id}`)
}

/** The run made its change and has it validated. Call it after `holdRun`. */
export async function setValidating(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update maintenance.runs set status = 'validating' where id = ${id}`)
}

type Booked = {
  readonly served: number
  readonly input: number
  readonly output: number
  readonly price: ModelPrice | undefined
}

/** Counts what a call of a model has cost. It is no part of the lease: what was spent is counted in any case. */
export async function bookTokens(tx: Tx, id: string, { served, input, output, price }: Booked): Promise<void> {
  const cost = price
    ? sql`coalesce(cost_usd, 0)
        + (${input}::numeric * ${String(price.input)}::numeric + ${output}::numeric * ${String(price.output)}::numeric) / 1000000`
    : sql`cost_usd`
  await tx.query(sql`
    update maintenance.runs
    set tokens_spent = tokens_spent + ${served}, input_tokens = input_tokens + ${input},
      output_tokens = output_tokens + ${output}, cost_usd = ${cost}
    where id = ${id}`)
}

/** Counts the apps of an organization whose run waits or goes on. */
export async function countLiveRuns(db: Querier, orgId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*) from maintenance.runs where org_id = ${orgId} and status <> 'ended'`)
  return row!.count
}

export type RunEnd = {
  readonly code: TerminalCode
  readonly summary?: string | null
  readonly fingerprint?: string
  readonly proposalId?: string | null
  readonly digest?: string
}

/** Call it after `holdRun`. */
export async function endRun(tx: Tx, id: string, end: RunEnd, at: Date): Promise<void> {
  await tx.query(sql`
    update maintenance.runs
    set status = 'ended', terminal_code = ${end.code}, ended_at = ${at}, summary = ${end.summary ?? null},
      fingerprint = ${end.fingerprint ?? null}, proposal_id = ${end.proposalId ?? null},
      evidence_digest = ${end.digest ?? null}
    where id = ${id}`)
}
