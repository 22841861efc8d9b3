import { type Outcome, TERMINAL_CODES, type TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { AppName } from '#edge/apps.ts'
import { emit } from '#edge/emit.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Claim } from '#lib/work/job-kind.ts'
import type { Detected } from '../detect/detectors.ts'
import { fingerprintOf } from '../findings/fingerprint.ts'
import { recordFinding } from '../findings/store.ts'
import { type HeldRun, holdRun } from './held.ts'

/** How a run that looked at everything ends: with what it found, or with a reason why it could not finish. */
export type RunResult = { readonly found: readonly Detected[] } | { readonly failed: TerminalCode }

type Finished = { readonly claim: Claim; readonly app: AppName; readonly result: RunResult; readonly at: Date }

/**
 * Ends a run, records its findings and emits its event, all in one transaction. Does nothing if the claim was lost:
 * whoever ended the run before has the last word.
 */
export async function finishRun(db: Pick<Db, 'tx'>, { claim, app, result, at }: Finished): Promise<void> {
  await db.tx(async (tx) => {
    const run = await holdRun(tx, claim)
    if (!run) return
    const end = 'failed' in result ? { code: result.failed } : await recordFindings(tx, run, result.found, at)
    await tx.query(sql`
      update maintenance.runs
      set status = 'ended', terminal_code = ${end.code}, ended_at = ${at}, summary = ${end.summary ?? null},
        fingerprint = ${end.fingerprint ?? null}
      where id = ${run.id}`)
    await emitEnd(tx, { run, app, code: end.code, at })
  })
}

type End = { code: TerminalCode; summary?: string; fingerprint?: string }

/** The run shows the gravest finding that is new, or else the gravest that is not. */
async function recordFindings(tx: Tx, run: HeldRun, found: readonly Detected[], at: Date): Promise<End> {
  const seen: (Detected & { fingerprint: string; isNew: boolean })[] = []
  for (const one of found) {
    const fingerprint = fingerprintOf(one)
    const isNew = await recordFinding(tx, { ...one, fingerprint, appId: run.app_id, runId: run.id, at })
    seen.push({ ...one, fingerprint, isNew })
  }
  const shown = seen.find(({ isNew }) => isNew) ?? seen[0]
  if (!shown) return { code: 'found_nothing' }
  const { summary, fingerprint, isNew } = shown
  return { code: isNew ? 'finding_recorded' : 'finding_repeat', summary, fingerprint }
}

type Ended = { readonly run: HeldRun; readonly app: AppName; readonly code: TerminalCode; readonly at: Date }

export async function emitEnd(tx: Tx, { run, app, code, at }: Ended): Promise<void> {
  const of = { org_id: run.org_id, occurred_at: at }
  const about = { app: { ...app }, execution_id: run.id, actor_id: run.requested_by }
  const outcome: Outcome = TERMINAL_CODES[code]
  switch (outcome) {
    case 'agent_error':
      await emit(tx, { type: 'application.maintenance.run.failed', ...of, body: { ...about, status: outcome } })
      return
    case 'skipped':
    case 'fenced':
      return
    case 'found_nothing':
    case 'finding_recorded':
    case 'proposed':
    case 'budget_exhausted':
      await emit(tx, { type: 'application.maintenance.run.completed', ...of, body: { ...about, status: outcome } })
      return
    default:
      throw new Error(`no event is decided for ${String(outcome satisfies never)}`)
  }
}
