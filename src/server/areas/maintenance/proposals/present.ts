import type { Proposal } from '#contract/maintenance/proposals.ts'
import type { Member } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppName } from '#ports/apps.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { listFormerDeciders, listSettingChanges, type SettingChange } from '../settings/changes-store.ts'
import { presentWatch } from '../watch/present.ts'
import { findWatches } from '../watch/store.ts'
import { decide } from './decide.ts'
import { findStatuses } from './find-statuses.ts'
import { listEvidence, type ProposalRow } from './store.ts'
import { findTie } from './ties.ts'
import { presentProof } from './validate/stored-proof.ts'
import type { FindUnshown } from './validate/unshown.ts'
import { AGENT_ACTOR } from './validate/validate-change.ts'

export type ProposalDeps = MaintenanceDeps & { readonly findUnshown: FindUnshown }

/** Shows proposals to a caller. Those of apps that are gone meanwhile are left out. */
export async function presentProposals(
  deps: ProposalDeps,
  caller: Member,
  rows: readonly ProposalRow[],
): Promise<Proposal[]> {
  const { db, clock } = deps
  const [appIds, runIds] = [rows.map(({ app_id }) => app_id), rows.map(({ run_id }) => run_id)]
  const names = await deps.apps.names(caller.org_id, appIds)
  const evidence = await listEvidence(db, runIds)
  const watches = await findWatches(db, deployIdsOf(rows))
  const found: (WithStatus & Past)[] = []
  for (const one of await findStatuses(db, deps.deploys, rows, clock.now())) {
    if (one.status !== 'ready') found.push({ ...one, changes: [], formerDeciders: [] })
    else
      found.push({
        ...withUnshown(one, await deps.findUnshown(one.row)),
        ...(await findPast(db, one.row, clock.now())),
      })
  }
  const isOwn = found.some(({ row, changes }) => isTied(caller, row, changes))
  const deciders = isOwn ? await findDeciders(deps, caller) : 'unknown'
  return found.flatMap(({ row, status, isDeploying, changes, formerDeciders }) => {
    const app = names.get(row.app_id)
    if (!app) return []
    const decision = decide({ ...factsOf(caller, row), changes, formerDeciders, status, isDeploying, deciders })
    const after_deploy = presentWatch(watches.get(row.deploy_id ?? ''))
    return [present(row, { app, status, decision, after_deploy, evidence: evidence.get(row.run_id) ?? [] })]
  })
}

type Past = { readonly changes: readonly SettingChange[]; readonly formerDeciders: readonly string[] }

/** Finds what people did in the 24 hours before the proposal and before `now` that counts for the decision. */
export async function findPast(db: Querier, row: ProposalRow, now: Date): Promise<Past> {
  return {
    changes: await listSettingChanges(db, row, now),
    formerDeciders: await listFormerDeciders(db, row, now),
  }
}

function deployIdsOf(rows: readonly ProposalRow[]): string[] {
  return rows.flatMap(({ deploy_id }) => (deploy_id === null ? [] : [deploy_id]))
}

type WithStatus = Awaited<ReturnType<typeof findStatuses<ProposalRow>>>[number]

/** A proposal that waits for a decision is not valid if a reviewer does not see all of it, for the given reason. */
export function withUnshown(found: WithStatus, reason: string | undefined): WithStatus {
  if (reason === undefined || found.status !== 'ready') return found
  return { ...found, status: 'invalid', row: { ...found.row, invalid_reason: reason } }
}

/** The facts of a decision that do not change. */
export function factsOf(caller: Member, { requested_by, due_by, invalid_reason }: ProposalRow) {
  return {
    caller: { userId: caller.user_id, role: caller.role, isSupport: caller.support !== undefined },
    requestedBy: requested_by,
    dueBy: due_by,
    invalidReason: invalid_reason,
  }
}

/** Whether the caller caused a change, so that another person should approve it. */
export function isTied(
  { user_id }: Member,
  { requested_by, due_by }: ProposalRow,
  changes: readonly SettingChange[],
): boolean {
  const causes = { requestedBy: requested_by, dueBy: due_by, changes }
  return user_id !== null && findTie(causes, user_id) !== undefined
}

/** Asks who could decide instead of the caller. Not for use in a transaction. */
export async function findDeciders(
  { people }: ProposalDeps,
  { org_id }: Member,
): Promise<readonly string[] | 'unknown'> {
  const answer = await people.ownersAndAdmins(org_id)
  return answer.isKnown ? answer.value.map((person) => person.user_id) : 'unknown'
}

type DerivedFields = Pick<Proposal, 'status' | 'decision' | 'evidence' | 'after_deploy'> & { readonly app: AppName }

function present(row: ProposalRow, { app, ...derived }: DerivedFields): Proposal {
  const { org_id: _org, app_id: _app, run_id, ready_at: _ready, proof, decided_at, created_at, ...stored } = row
  const isAboutThis = proof !== null && proof.revision_id === row.revision_id
  const isProven = isAboutThis && proof.outcome === 'proven' && row.validation === 'tested'
  return {
    ...stored,
    ...(isProven && { validation: 'proven' }),
    proof: isAboutThis ? presentProof(proof) : null,
    ...derived,
    app: { ...app },
    author: AGENT_ACTOR,
    execution_id: run_id,
    decided_at: decided_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
