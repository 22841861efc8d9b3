import type { ActivityStatistics } from '#contract/activity.ts'

type Outcomes = ActivityStatistics['buckets'][number]['by_outcome']

/** Counts questions and those that got no answer, in the words of Activity: the caller's fault is refused, ours failed. */
export function describeOutcomes(total: number, buckets: readonly { readonly by_outcome: Outcomes }[]): string {
  const count = (outcome: keyof Outcomes) => buckets.reduce((sum, { by_outcome }) => sum + by_outcome[outcome], 0)
  const [refused, failed, unknown] = [count('refused'), count('failed'), count('unknown')]
  return [
    total === 1 ? '1 question' : `${total} questions`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    failed === 0 ? 'none failed' : `${failed} failed`,
    ...(unknown === 0 ? [] : [`${unknown} with an unknown result`]),
  ].join(', ')
}
