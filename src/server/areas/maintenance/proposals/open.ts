import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { limitDay } from '#lib/time/day.ts'
import type { AppDeploys } from '#ports/app-changes.ts'
import type { AppName, AppSource } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { readOrg } from '../settings/store.ts'
import { isDenied } from './denial-store.ts'
import { findStatuses } from './find-statuses.ts'
import { findLastDay, findNewestOf, insertProposal } from './store.ts'
import { resultColumns, type ValidatedChange } from './validate/validate-change.ts'

export type OpenDeps = {
  readonly source: Pick<AppSource, 'files'>
  readonly deploys: Pick<AppDeploys, 'live' | 'states'>
}

type Opened = {
  readonly orgId: string
  readonly app: AppName
  readonly runId: string
  readonly requestedBy: string | null
  readonly dueBy?: string | null
  /** Fingerprint of the finding that the change is for. The finding must be recorded already. */
  readonly fingerprint: string
  readonly summary: string
  readonly baseRevisionId: string
  /** A change that is not valid is stored too, and counts for the day. */
  readonly change: ValidatedChange
  readonly at: Date
}

/**
 * Opens a proposal and emits its event. `known`: a change for the same fault is open, or was denied and the file is the
 * same as then. `limit_day`: the app has had its proposal of today. Call it in the transaction that ends the run, after
 * `holdRun`.
 */
export async function openProposal(
  tx: Tx,
  deps: OpenDeps,
  opened: Opened,
): Promise<{ readonly proposalId: string } | Refusal> {
  const { orgId, app, fingerprint, change, at } = opened
  const fault = { orgId, appId: app.id, revisionId: opened.baseRevisionId, fingerprint, at }
  const refusal = await findRefusal(tx, deps, fault)
  if (refusal) return refusal
  const { day, endsAt } = (await currentDay(tx, fault)).current
  const isValid = !('invalid' in change)
  const id = newId('pr')
  const isFirst = await insertProposal(tx, {
    id,
    org_id: orgId,
    app_id: app.id,
    run_id: opened.runId,
    fingerprint,
    summary: opened.summary,
    requested_by: opened.requestedBy,
    due_by: opened.dueBy ?? null,
    day,
    day_ends_at: endsAt,
    base_revision_id: opened.baseRevisionId,
    ...resultColumns(change),
    ready_at: isValid ? at : null,
    created_at: at,
  })
  if (!isFirst) return 'limit_day'
  if (isValid) await emitCreated(tx, { orgId, app, proposalId: id, at })
  return { proposalId: id }
}

/** A change for the same fault is open or was denied, or the app has had its proposal of today. */
export type Refusal = 'known' | 'limit_day'

type ProposedFault = Fault & { readonly orgId: string; readonly revisionId: string }

/** Returns why no proposal would be opened for a fault of the revision now, or undefined. */
export async function findRefusal(tx: Tx, deps: OpenDeps, fault: ProposedFault): Promise<Refusal | undefined> {
  if (await findOpenProposal(tx, deps, fault)) return 'known'
  if (await isDenied(tx, deps.source, fault)) return 'known'
  const { last, current } = await currentDay(tx, fault)
  return current.day === last?.day ? 'limit_day' : undefined
}

async function currentDay(tx: Tx, { orgId, appId, at }: ProposedFault) {
  const last = await findLastDay(tx, appId)
  return { last, current: limitDay(last, (await readOrg(tx, orgId)).timezone, at) }
}

type Fault = { readonly appId: string; readonly fingerprint: string; readonly at: Date }

/** Returns the id of the proposal for this fault that waits for a decision or for its deploy, if there is one. */
export async function findOpenProposal(
  tx: Tx,
  { deploys }: Pick<OpenDeps, 'deploys'>,
  { appId, fingerprint, at }: Fault,
): Promise<string | undefined> {
  const row = await findNewestOf(tx, appId, fingerprint)
  if (!row) return undefined
  const [found] = await findStatuses(tx, deploys, [row], at)
  return (OPEN as readonly string[]).includes(found!.status) ? row.id : undefined
}

const OPEN = ['validating', 'ready', 'approved', 'deploying'] as const

type Created = { readonly orgId: string; readonly app: AppName; readonly proposalId: string; readonly at: Date }

export async function emitCreated(tx: Tx, { orgId, app, proposalId, at }: Created): Promise<void> {
  const body = { app: { ...app }, proposal_id: proposalId, actor_id: null, status: 'proposal' } as const
  await emit(tx, { type: 'application.maintenance.proposal.created', org_id: orgId, occurred_at: at, body })
}
