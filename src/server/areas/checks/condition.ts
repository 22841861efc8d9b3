import type { CheckState, Verdict } from '#contract/checks/checks.ts'

/** The state of a check between runs. */
export type Condition = {
  readonly state: CheckState
  readonly consecutiveFails: number
  /** Whether `failed` was emitted and `recovered` not yet. */
  readonly isAlertOpen: boolean
}

export type CheckEvent = 'failed' | 'error' | 'indeterminate' | 'recovered'

type Change = {
  readonly condition: Condition
  /** The event that the transition emits, if it emits one. */
  readonly event: CheckEvent | undefined
}

/**
 * Returns what a verdict does to a check. Events follow transitions: a check that stays in a state is silent. Only fails
 * that follow each other directly count toward the threshold. The first pass after a `failed` alert is `recovered`,
 * whatever lay between, and any other pass is silent.
 */
export function applyVerdict(before: Condition, verdict: Verdict, threshold: number): Change {
  switch (verdict) {
    case 'pass':
      return {
        condition: { state: 'pass', consecutiveFails: 0, isAlertOpen: false },
        event: before.isAlertOpen ? 'recovered' : undefined,
      }
    case 'fail':
      return applyFail(before, threshold)
    case 'error':
    case 'indeterminate':
      return {
        condition: { ...before, state: verdict, consecutiveFails: 0 },
        event: before.state === verdict ? undefined : verdict,
      }
    default:
      return verdict satisfies never
  }
}

function applyFail(before: Condition, threshold: number): Change {
  const consecutiveFails = before.consecutiveFails + 1
  // A check that failed stays failed, also if its threshold was raised since.
  if (before.state === 'fail') return { condition: { ...before, consecutiveFails }, event: undefined }
  if (consecutiveFails < threshold) {
    return { condition: { ...before, state: 'failing', consecutiveFails }, event: undefined }
  }
  return { condition: { state: 'fail', consecutiveFails, isAlertOpen: true }, event: 'failed' }
}
