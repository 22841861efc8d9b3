import type { LimitDay } from '#lib/day.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { VALIDATE_CHANNEL } from '../claims/channels.ts'
import type { StoredStatus } from './status.ts'
import type { Validation } from './validate-change.ts'

export type ProposalRow = {
  id: string
  org_id: string
  app_id: string
  run_id: string
  fingerprint: string
  summary: string
  requested_by: string | null
  due_by: string | null
  status: StoredStatus
  base_revision_id: string
  revision_id: string | null
  validation: Validation | null
  validation_notes: string[]
  invalid_reason: string | null
  decided_by: string | null
  decided_at: Date | null
  deploy_id: string | null
  ready_at: Date | null
  created_at: Date
}

const COLUMNS = sql`
  id, org_id, app_id, run_id, fingerprint, summary, requested_by, due_by, status, base_revision_id, revision_id, validation,
  validation_notes, invalid_reason, decided_by, decided_at, deploy_id, ready_at, created_at`

const NO_LOCK: Sql = sql``

export async function findProposal(
  db: Querier,
  appId: string,
  id: string,
  lock = NO_LOCK,
): Promise<ProposalRow | undefined> {
  const [row] = await db.query<ProposalRow>(sql`
    select ${COLUMNS} from maintenance.proposals where app_id = ${appId} and id = ${id} ${lock}`)
  return row
}

/** As `findProposal`, and holds off every other decision until the transaction ends. Lock the app before it. */
export function lockProposal(tx: Tx, appId: string, id: string): Promise<ProposalRow | undefined> {
  return findProposal(tx, appId, id, sql`for no key update`)
}

type Page = {
  readonly of: { readonly orgId: string } | { readonly appId: string }
  readonly statuses?: readonly StoredStatus[]
  readonly after: string | null
  readonly limit: number
}

/** Newest first, at most `limit` rows. */
export async function pageProposals(db: Querier, { of, statuses, after, limit }: Page): Promise<ProposalRow[]> {
  const scope = 'orgId' in of ? sql`org_id = ${of.orgId}` : sql`app_id = ${of.appId}`
  return db.query<ProposalRow>(sql`
    select ${COLUMNS} from maintenance.proposals
    where ${scope} and (${after}::text is null or id < ${after})
      ${statuses === undefined ? sql`` : sql`and status = any(${statuses}::text[])`}
    order by id desc limit ${limit}`)
}

/** The newest proposal of a fault, whatever became of it. */
export async function findNewestOf(db: Querier, appId: string, fingerprint: string): Promise<ProposalRow | undefined> {
  const [row] = await db.query<ProposalRow>(sql`
    select ${COLUMNS} from maintenance.proposals
    where app_id = ${appId} and fingerprint = ${fingerprint}
    order by id desc limit 1`)
  return row
}

type NewProposal = Omit<ProposalRow, 'decided_by' | 'decided_at' | 'deploy_id'> & {
  readonly day: string
  readonly day_ends_at: Date | null
}

/** Returns the last day on which a proposal of the app was opened. */
export async function findLastDay(tx: Tx, appId: string): Promise<LimitDay | undefined> {
  const [row] = await tx.query<{ day: string; day_ends_at: Date | null }>(sql`
    select day, day_ends_at from maintenance.proposals where app_id = ${appId} order by day desc limit 1`)
  return row && { day: row.day, endsAt: row.day_ends_at }
}

/** Returns false if the app has a proposal of that day. */
export async function insertProposal(tx: Tx, row: NewProposal): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into maintenance.proposals
      (id, org_id, app_id, run_id, fingerprint, summary, requested_by, due_by, day, day_ends_at, status,
       base_revision_id, revision_id, validation, validation_notes, invalid_reason, ready_at, created_at)
    values
      (${row.id}, ${row.org_id}, ${row.app_id}, ${row.run_id}, ${row.fingerprint}, ${row.summary}, ${row.requested_by},
       ${row.due_by}, ${row.day}, ${row.day_ends_at}, ${row.status}, ${row.base_revision_id}, ${row.revision_id}, ${row.validation},
       ${row.validation_notes}::text[], ${row.invalid_reason}, ${row.ready_at}, ${row.created_at})
    on conflict (app_id, day) do nothing
    returning id`)
  return rows.length > 0
}

type Decision = { readonly by: string | null; readonly at: Date; readonly deployId: string | null }

export async function saveDecision(
  tx: Tx,
  id: string,
  status: 'approved' | 'denied',
  { by, at, deployId }: Decision,
): Promise<void> {
  await tx.query(sql`
    update maintenance.proposals
    set status = ${status}, decided_by = ${by}, decided_at = ${at}, deploy_id = ${deployId}
    where id = ${id}`)
}

/** Has the edits validated again by a worker. An earlier decision does not count any more. */
export async function startValidation(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update maintenance.proposals
    set status = 'validating', decided_by = null, decided_at = null, deploy_id = null, fence = null, lease_until = null
    where id = ${id}`)
  await tx.query(sql`select pg_notify(${VALIDATE_CHANNEL}, '')`)
}

type RunEvidence = { kind: string; reference: string; sha256: string; bytes: number }

/** What each run read, by run. */
export async function listEvidence(db: Querier, runIds: readonly string[]): Promise<Map<string, RunEvidence[]>> {
  const rows = await db.query<{ run_id: string } & RunEvidence>(sql`
    select run_id, kind, reference, sha256, bytes from maintenance.evidence
    where run_id = any(${runIds}::text[]) order by run_id, n`)
  const byRun = new Map<string, RunEvidence[]>()
  for (const { run_id, ...read } of rows) byRun.set(run_id, [...(byRun.get(run_id) ?? []), read])
  return byRun
}
