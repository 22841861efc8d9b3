import { notFound } from '#contract/core/errors.ts'
import type { Proposal } from '#contract/maintenance/proposals.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { LimitDay } from '#lib/time/day.ts'
import { VALIDATE_CHANNEL } from '../claims/channels.ts'
import type { StoredStatus } from './status.ts'
import type { ProofColumn } from './validate/stored-proof.ts'

type DerivedKeys = 'app' | 'after_deploy' | 'author' | 'execution_id' | 'evidence' | 'decision' | 'proof' | 'diff'

export type ProposalRow = Omit<Proposal, DerivedKeys | 'status' | 'decided_at' | 'created_at'> & {
  org_id: string
  app_id: string
  run_id: string
  status: StoredStatus
  proof: ProofColumn | null
  decided_at: Date | null
  ready_at: Date | null
  created_at: Date
}

const COLUMNS = sql`
  id, org_id, app_id, run_id, fingerprint, summary, requested_by, due_by, status, base_revision_id, revision_id, validation,
  validation_notes, invalid_reason, proof, decided_by, decided_at, deploy_id, ready_at, created_at`

export async function requireProposal(db: Querier, appId: string, id: string, lock = sql``): Promise<ProposalRow> {
  const [row] = await db.query<ProposalRow>(sql`
    select ${COLUMNS} from maintenance.proposals where app_id = ${appId} and id = ${id} ${lock}`)
  if (!row) throw notFound('proposal')
  return row
}

/** As `requireProposal`, and holds off every other decision until the transaction ends. Lock the app before it. */
export function lockProposal(tx: Tx, appId: string, id: string): Promise<ProposalRow> {
  return requireProposal(tx, appId, id, sql`for no key update`)
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
       base_revision_id, revision_id, validation, validation_notes, invalid_reason, proof,
       ready_at, created_at)
    values
      (${row.id}, ${row.org_id}, ${row.app_id}, ${row.run_id}, ${row.fingerprint}, ${row.summary}, ${row.requested_by},
       ${row.due_by}, ${row.day}, ${row.day_ends_at}, ${row.status}, ${row.base_revision_id}, ${row.revision_id}, ${row.validation},
       ${row.validation_notes}::text[], ${row.invalid_reason}, ${row.proof && JSON.stringify(row.proof)}::jsonb,
       ${row.ready_at}, ${row.created_at})
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
  await notify(tx, VALIDATE_CHANNEL)
}

type RunEvidence = Proposal['evidence'][number]

export async function listEvidence(db: Querier, runIds: readonly string[]): Promise<Map<string, RunEvidence[]>> {
  const rows = await db.query<{ run_id: string } & RunEvidence>(sql`
    select run_id, kind, reference, sha256, bytes from maintenance.evidence
    where run_id = any(${runIds}::text[]) order by run_id, n`)
  const byRun = new Map<string, RunEvidence[]>()
  for (const { run_id, ...read } of rows) byRun.set(run_id, [...(byRun.get(run_id) ?? []), read])
  return byRun
}
