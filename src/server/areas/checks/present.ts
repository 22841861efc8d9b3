import type { Check, CheckRun } from '#contract/checks/checks.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { RunRow } from './runs-store.ts'
import type { CheckRow } from './store.ts'

export function presentCheck({ next_at, ...row }: CheckRow): Check {
  return toAnswer({ ...row, next_run_at: next_at })
}

export function presentRun({ slot, ...row }: RunRow): CheckRun {
  return toAnswer({ ...row, scheduled_at: slot })
}
