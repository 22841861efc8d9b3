import { type Outcome, TERMINAL_CODES, type TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Claim } from '#lib/work/job-kind.ts'
import type { AppName } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { type HeldRun, holdRun } from '../claims/held.ts'
import { endRun, type RunEnd } from '../claims/store.ts'
import { dropEdits } from '../edits/store.ts'
import { recordAll, toSeen } from '../findings/record.ts'
import { findFormer, repeatFinding, type Seen } from '../findings/store.ts'
import { findOpenProposal, type OpenDeps, openProposal, type Refusal } from '../proposals/open.ts'
import type { ValidatedChange } from '../proposals/validate/validate-change.ts'
import type { RunResult } from './result.ts'

type Finished = {
  readonly claim: Claim
  readonly app: AppName
  readonly result: RunResult
  /** The result of the validation, if the run proposes a change. */
  readonly change?: ProposedChange
  readonly at: Date
}

/** A change, or why none was made. */
export type ProposedChange = ValidatedChange | { readonly refused: Refusal }

type Deps = { readonly db: Pick<Db, 'tx'>; readonly changes: OpenDeps }

/**
 * Ends a run, records its findings, opens its proposal and emits its events, all in one transaction. Does nothing if the
 * claim was lost: whoever ended the run before has the last word.
 */
export async function finishRun({ db, changes }: Deps, { claim, app, result, change, at }: Finished): Promise<void> {
  await db.tx(async (tx) => {
    const run = await holdRun(tx, claim)
    if (!run) return
    const end = await decideEnd({ tx, changes, run, app, at }, result, change)
    await endRun(tx, run.id, end, at)
    if (!end.opensProposal) await dropEdits(tx, run.id)
    await emitEnd(tx, { run, app, code: end.code, at })
  })
}

type Context = {
  readonly tx: Tx
  readonly changes: OpenDeps
  readonly run: HeldRun
  readonly app: AppName
  readonly at: Date
}
type End = RunEnd & { readonly opensProposal?: boolean }

async function decideEnd(context: Context, result: RunResult, change: ProposedChange | undefined): Promise<End> {
  switch (result.type) {
    case 'failed':
      return endFailed(context, result)
    case 'detected':
      return { ...(await endWith(context, result.detected.map(toSeen))), digest: result.digest }
    case 'nothing': {
      const end = await endWith(context, result.detected.map(toSeen))
      const code = end.code === 'found_nothing' ? end.code : 'detector_only'
      return { ...end, code, digest: result.digest }
    }
    case 'unchanged':
      return { ...(await repeatLast(context, result)), digest: result.digest }
    case 'finding':
      return { ...(await endWithFinding(context, result)), digest: result.digest }
    case 'change': {
      const { isDismissed, ...end } = await endWithFinding(context, result)
      const proposed = change && !isDismissed ? await propose(context, toSeen(result.finding), change) : {}
      return { ...end, ...proposed, digest: result.digest }
    }
    default:
      return result satisfies never
  }
}

/**
 * The run shows the gravest finding that is new, or else the gravest that is not. Dismissed ones are recorded as seen
 * and not shown. `isDismissed` is about the first.
 */
async function endWith({ tx, run, at }: Context, found: readonly Seen[]): Promise<End & { isDismissed: boolean }> {
  const recorded = await recordAll(tx, { appId: run.app_id, runId: run.id, at, live: run.revision_id }, found)
  const isDismissed = recorded[0]?.isDismissed ?? false
  const reported = recorded.filter((one) => !one.isDismissed)
  const shown = reported.find(({ isNew }) => isNew) ?? reported[0]
  if (!shown) return { code: 'found_nothing', summary: describeQuiet(recorded.length), isDismissed }
  const { summary, fingerprint, isNew } = shown
  return { code: isNew ? 'finding_recorded' : 'finding_repeat', summary, fingerprint, isDismissed }
}

function describeQuiet(count: number): string | null {
  if (count === 0) return null
  return `${count === 1 ? 'A dismissed finding was' : `${count} dismissed findings were`} seen again and not reported.`
}

async function endFailed(context: Context, { code, reason, detected }: Extract<RunResult, { type: 'failed' }>) {
  const { summary, fingerprint } = await endWith(context, detected.map(toSeen))
  if (fingerprint === undefined) return { code, summary: reason }
  return { code, fingerprint, summary: [reason, `Fixed rules found: ${summary}`].filter(Boolean).join(' ') }
}

/** The finding of the model comes first. The detectors may have found the same, which then counts once. */
function endWithFinding(
  context: Context,
  { finding, detected }: Extract<RunResult, { finding: unknown }>,
): Promise<End & { isDismissed: boolean }> {
  const first = toSeen(finding)
  const others = detected.map(toSeen).filter(({ fingerprint }) => fingerprint !== first.fingerprint)
  return endWith(context, [first, ...others])
}

/** A finding stays a finding as long as nothing changes, and a proposal is never opened twice for it. */
async function repeatLast(context: Context, { last, detected }: Extract<RunResult, { last: unknown }>): Promise<End> {
  const { tx, changes, run, at } = context
  const seen = detected.map(toSeen)
  const { summary, fingerprint } = last
  const former = fingerprint === null ? undefined : await findFormer(tx, run.app_id, [fingerprint])
  // Without a finding to repeat, a person can have dismissed one or taken that back since.
  if (fingerprint === null || former?.get(fingerprint)?.is_dismissed) {
    const { isDismissed: _, ...end } = await endWith(context, seen)
    return end.code === 'found_nothing' ? { ...end, code: 'unchanged_evidence' } : end
  }
  await recordAll(tx, { appId: run.app_id, runId: run.id, at, live: run.revision_id }, seen)
  if (!seen.some((one) => one.fingerprint === fingerprint)) await repeatFinding(tx, run.app_id, fingerprint, at)
  const proposalId = await findOpenProposal(tx, changes, { appId: run.app_id, fingerprint, at })
  return { code: 'finding_repeat', summary, fingerprint, proposalId: proposalId ?? null }
}

async function propose(context: Context, { fingerprint, summary }: Seen, change: ProposedChange): Promise<End> {
  const { tx, changes, run, app, at } = context
  const of = { orgId: run.org_id, app, runId: run.id, requestedBy: run.requested_by, dueBy: run.due_by }
  const proposed = { ...of, fingerprint, summary, baseRevisionId: run.revision_id!, at }
  const opened = 'refused' in change ? change.refused : await openProposal(tx, changes, { ...proposed, change })
  const shown = { summary, fingerprint }
  if (opened === 'limit_day') return { code: 'proposal_limit_day', ...shown }
  if (opened === 'known') {
    const proposalId = await findOpenProposal(tx, changes, { appId: app.id, fingerprint, at })
    return { code: 'finding_repeat', ...shown, proposalId: proposalId ?? null }
  }
  const code = 'invalid' in change ? 'proposal_invalid' : 'proposed'
  return { code, ...shown, proposalId: opened.proposalId, opensProposal: true }
}

type Ended = { readonly run: HeldRun; readonly app: AppName; readonly code: TerminalCode; readonly at: Date }

export async function emitEnd(tx: Tx, { run, app, code, at }: Ended): Promise<void> {
  const of = { org_id: run.org_id, occurred_at: at }
  const about = { app: { ...app }, execution_id: run.id, actor_id: run.requested_by }
  const outcome: Outcome = TERMINAL_CODES[code]
  if (outcome === 'skipped' || outcome === 'fenced') return
  if (outcome === 'agent_error') {
    await emit(tx, { type: 'application.maintenance.run.failed', ...of, body: { ...about, status: outcome } })
  } else {
    await emit(tx, { type: 'application.maintenance.run.completed', ...of, body: { ...about, status: outcome } })
  }
}
