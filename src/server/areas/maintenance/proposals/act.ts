import { notFound, ServiceError } from '#contract/core/errors.ts'
import {
  approveProposal,
  denyProposal,
  type Proposal,
  type ProposalAct,
  retryProposal,
} from '#contract/maintenance/proposals.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { type AppName, requireApp } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import { emit } from '#ports/emit.ts'
import { holdApp, holdOrg } from '../settings/store.ts'
import { decide, refuseAct } from './decide.ts'
import { recordDenial } from './denial-store.ts'
import { findStatuses } from './find-statuses.ts'
import { factsOf, findDeciders, findPast, isTied, type ProposalDeps, presentProposals, withUnshown } from './present.ts'
import { lockProposal, type ProposalRow, requireProposal, saveDecision, startValidation } from './store.ts'

type Act = {
  readonly act: ProposalAct
  readonly app: AppName
  readonly row: ProposalRow
  readonly principal: Member
  readonly at: Date
  /** The caller caused the change. */
  readonly isOwn: boolean
}

export function actRoutes(deps: ProposalDeps): Route[] {
  return [
    route(approveProposal, ({ alias, proposal_id, revision_id }, { principal }) =>
      actOn(deps, 'approve', { alias, proposal_id, principal }, approveOf(revision_id)),
    ),
    route(denyProposal, ({ alias, proposal_id }, { principal }) =>
      actOn(deps, 'deny', { alias, proposal_id, principal }, deny),
    ),
    route(retryProposal, ({ alias, proposal_id }, { principal }) =>
      actOn(deps, 'retry', { alias, proposal_id, principal }, (tx, _, { row }) => startValidation(tx, row.id)),
    ),
  ]
}

type ProposalLookup = { readonly alias: string; readonly proposal_id: string; readonly principal: Member }
type Change = (tx: Tx, deps: ProposalDeps, act: Act) => Promise<void>

/**
 * Decides under the locks of the app and of the proposal, so that of two that decide at once one is refused, and changes
 * what the act changes in the same transaction.
 */
async function actOn(deps: ProposalDeps, act: ProposalAct, asked: ProposalLookup, change: Change): Promise<Proposal> {
  const { db, clock, apps } = deps
  const { principal } = asked
  const app = await requireApp(apps, principal.org_id, asked.alias)
  const found = await requireProposal(db, app.id, asked.proposal_id)
  // People can be asked over the network, which no transaction waits for.
  const deciders = act === 'approve' ? await findDeciders(deps, principal) : 'unknown'
  const unshown = await deps.findUnshown(found)
  const row = await db.tx(async (tx) => {
    // A denial takes no lock of the app: the end of a run holds the finding while it waits for the app.
    if (act === 'approve') await lockForApproval(tx, deps, principal.org_id, app.id)
    const at = clock.now()
    const locked = await lockProposal(tx, app.id, found.id)
    if (locked.revision_id !== found.revision_id) throw changedMeanwhile()
    const [current] = await findStatuses(tx, deps.deploys, [locked], at)
    const { row: judged, status, isDeploying } = withUnshown(current!, unshown)
    const past = act === 'approve' ? await findPast(tx, locked, at) : { changes: [], formerDeciders: [] }
    const decision = decide({ ...factsOf(principal, judged), ...past, status, isDeploying, deciders })
    refuseAct(decision, act)
    const done = { act, app, row: locked, principal, at, isOwn: isTied(principal, locked, past.changes) }
    await change(tx, deps, done)
    await recordAct(tx, done)
    return requireProposal(tx, app.id, locked.id)
  })
  const [shown] = await presentProposals(deps, principal, [row])
  if (!shown) throw notFound('app')
  return shown
}

/** Holds off changes of the settings too, so that nobody changes one and approves at the same time. */
async function lockForApproval(tx: Tx, { deploys }: ProposalDeps, orgId: string, appId: string): Promise<void> {
  await holdOrg(tx, orgId)
  if (!(await deploys.lock(tx, orgId, appId))) throw notFound('app')
  await holdApp(tx, appId)
}

function changedMeanwhile(): ServiceError {
  return new ServiceError(
    'PROPOSAL_NOT_READY',
    'The proposal makes another revision than the one that you have read. Read it again, then decide.',
  )
}

/** Approves the revision that the person has read, and no other. */
function approveOf(readRevisionId: string): Change {
  return async (tx, { deploys }, { app, row, principal, at }) => {
    if (row.revision_id !== readRevisionId) throw changedMeanwhile()
    const revision = { orgId: row.org_id, appId: app.id, revisionId: row.revision_id }
    const by = { requestedBy: principal.user_id, actor: actorOf(principal) }
    const deployId = await deploys.queue(tx, { ...revision, ...by })
    await saveDecision(tx, row.id, 'approved', { by: principal.user_id, at, deployId })
    const body = { app: { ...app }, proposal_id: row.id, actor_id: principal.user_id, status: 'approved' } as const
    await emit(tx, { type: 'application.maintenance.proposal.approved', org_id: row.org_id, occurred_at: at, body })
  }
}

const deny: Change = async (tx, { source }, { app, row, principal, at }) => {
  await saveDecision(tx, row.id, 'denied', { by: principal.user_id, at, deployId: null })
  const fault = { appId: app.id, revisionId: row.base_revision_id, fingerprint: row.fingerprint, at }
  await recordDenial(tx, source, fault)
  const body = { app: { ...app }, proposal_id: row.id, actor_id: principal.user_id, status: 'denied' } as const
  await emit(tx, { type: 'application.maintenance.proposal.denied', org_id: row.org_id, occurred_at: at, body })
}

const ACTIONS = { approve: 'proposal.approved', deny: 'proposal.denied', retry: 'proposal.retried' } as const

async function recordAct(tx: Tx, { act, app, row, principal, at, isOwn }: Act): Promise<void> {
  const detail = { app: app.id, alias: app.alias, ...(act === 'approve' && { asked_for_by_the_same_person: isOwn }) }
  await auditBy(tx, principal, { action: ACTIONS[act], target: row.id, detail, at })
}
