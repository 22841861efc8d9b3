import type { Db, Tx } from '#lib/db/db.ts'
import type { AppName } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { applyVerdict, type CheckEvent } from './condition.ts'
import type { Outcome } from './kinds/outcome.ts'
import { type ClaimedRun, endRun } from './runs-store.ts'
import { type CheckRow, findAndLockCheck, saveCondition } from './store.ts'

type Finished = {
  readonly run: ClaimedRun
  readonly app: AppName
  /** `version` of the check when the run began. */
  readonly version: number
  readonly outcome: Outcome
  readonly tokens: number | null
  /** False for a result that stands in the history only, because it says nothing about the app or the check. */
  readonly isCounted: boolean
  readonly at: Date
}

/**
 * Records the result of a run, moves the check to its next state and emits the event of that transition, all in one
 * transaction. Does nothing if the claim was lost. A result of a check that was changed or paused meanwhile stands in its
 * history and changes nothing else.
 */
export async function finishRun(db: Pick<Db, 'tx'>, finished: Finished): Promise<void> {
  const { run, outcome, tokens, at } = finished
  const { verdict, code, detail } = outcome
  await db.tx(async (tx) => {
    const check = await findAndLockCheck(tx, run.check_id)
    const isRecorded = await endRun(tx, run, { verdict, code, detail, tokens, ended_at: at })
    if (!isRecorded || !check) return
    if (!finished.isCounted || !check.enabled || check.version !== finished.version) return
    const event = await moveCheck(tx, check, finished)
    if (event) await emitEvent(tx, event, finished, check)
  })
}

async function moveCheck(tx: Tx, check: CheckRow, { outcome, at }: Finished): Promise<CheckEvent | undefined> {
  const { state, consecutive_fails: consecutiveFails, alert_open: isAlertOpen, threshold } = check
  const { condition, event } = applyVerdict({ state, consecutiveFails, isAlertOpen }, outcome.verdict, threshold)
  await saveCondition(tx, check.id, {
    state: condition.state,
    state_since: condition.state === state ? check.state_since : at,
    consecutive_fails: condition.consecutiveFails,
    alert_open: condition.isAlertOpen,
    last_verdict: outcome.verdict,
    last_run_at: at,
  })
  return event
}

async function emitEvent(tx: Tx, event: CheckEvent, { run, app, outcome, at }: Finished, check: CheckRow) {
  const of = { org_id: run.org_id, occurred_at: at }
  const about = { actor_id: run.requested_by, app: { ...app }, check: { id: check.id, name: check.name } }
  switch (event) {
    case 'failed':
      return emit(tx, { type: 'application.check.failed', ...of, body: { status: 'fail', ...about } })
    case 'error':
      return emit(tx, { type: 'application.check.error', ...of, body: { status: 'error', ...about } })
    case 'recovered':
      return emit(tx, { type: 'application.check.recovered', ...of, body: { status: 'pass', ...about } })
    case 'indeterminate': {
      if (outcome.verdict !== 'indeterminate') throw new Error(`a run ended as ${outcome.verdict} without a limit`)
      return emit(tx, { type: 'application.check.indeterminate', ...of, body: { status: outcome.code, ...about } })
    }
    default:
      return event satisfies never
  }
}
