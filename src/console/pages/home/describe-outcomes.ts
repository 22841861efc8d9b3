import type { ActivityStatistics } from '#contract/activity.ts'

type Outcomes = ActivityStatistics['buckets'][number]['by_outcome']

/** Counts questions and those that got no answer, in the words of Activity: the caller's fault is refused, ours failed. */
export function describeOutcomes(total: number, buckets: readonly { readonly by_outcome: Outcomes }[]): string {
  const count = (outcome: keyof Outcomes) => buckets.reduce((sum, { by_outcome }) => sum + by_outcome[outcome], 0)
  const some = (outcome: keyof Outcomes) => (count(outcome) ? `, ${count(outcome)} ${outcome}` : '')
  return `${total} question${total === 1 ? '' : 's'}${some('refused')}${some('failed') || ', none failed'}${some('unknown')}`
}
