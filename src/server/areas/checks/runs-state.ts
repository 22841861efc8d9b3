import type { RunsState } from '#contract/checks/runs-state.ts'

export type RunCounts = {
  readonly runs: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
}

/** Returns how the runs within a time went, as `RunsState` of the contract defines it. Null without a run. */
export function stateOfRuns({ runs, passed, failed, errors }: RunCounts): RunsState | null {
  if (runs === 0) return null
  if (passed === runs) return 'pass'
  if (failed * 2 >= runs) return 'fail'
  if (passed > 0) return 'mixed'
  return errors > 0 ? 'error' : 'indeterminate'
}
