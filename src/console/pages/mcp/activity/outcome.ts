import type { CallOutcome } from '#contract/activity.ts'

/** The outcome of a call by its HTTP status. Null, after a crash before the answer, is neither good nor bad. */
export function outcomeOf(status: number | null): CallOutcome {
  if (status === null) return 'unknown'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'answered'
}

const UNITS = ['bytes', 'KB', 'MB'] as const

export function latencyText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
