import type { z } from 'zod'
import { numberText } from '#console/charts/number-text.ts'
import type { readCheckSeries } from '#contract/checks/series.ts'
import { RUNS_STATES } from './describe-check.ts'

type Bucket = z.output<typeof readCheckSeries.output>['items'][number]

/** `30 of 31 runs passed` */
export function passedText(buckets: readonly Pick<Bucket, 'runs' | 'passed'>[]): string {
  const sum = (of: 'runs' | 'passed') => numberText(buckets.reduce((all, bucket) => all + bucket[of], 0))
  return `${sum('passed')} of ${sum('runs')} runs passed`
}

/** The verdicts from the bottom of each bar, without those that no run had. */
export function checkParts(buckets: readonly Bucket[]) {
  const parts = [
    { label: 'Failed', tone: 'error', values: buckets.map(({ failed }) => failed) },
    { label: 'Could not run', tone: 'warn', values: buckets.map(({ errors }) => errors) },
    { label: 'Inconclusive', tone: 'unknown', values: buckets.map(({ indeterminate }) => indeterminate) },
    { label: 'Passed', tone: 'info', values: buckets.map(({ passed }) => passed) },
  ] as const
  return parts.filter(({ label, values }) => label === 'Passed' || values.some((count) => count > 0))
}

/** Describes how the runs of each bucket went: `Mixed: 30 of 31 passed`. */
export function stateNotes(buckets: readonly Bucket[]) {
  return { head: 'State', values: buckets.map(noteOf) }
}

function noteOf({ state, passed, runs }: Bucket): string {
  return state === null ? 'No runs' : `${RUNS_STATES[state].word}: ${passed} of ${runs} passed`
}
