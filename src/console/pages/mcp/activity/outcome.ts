import type { CallOutcome } from '#contract/activity.ts'

/** The outcome of a call by its HTTP status. Null, after a crash before the answer, is neither good nor bad. */
export function outcomeOf(status: number | null): CallOutcome {
  if (status === null) return 'unknown'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'answered'
}

export function latencyText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}
