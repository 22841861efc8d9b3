import { numberText, shareText } from '#console/charts/number-text.ts'
import type { ActivityStatistics } from '#contract/activity.ts'

type Bucket = Pick<ActivityStatistics['buckets'][number], 'total' | 'by_outcome'>

/** `120 questions, 9 without an answer (7.5 %)`. Of a call whose process crashed, nobody knows whether it was answered. */
export function describeUnanswered(buckets: readonly Bucket[]): string {
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((all, bucket) => all + of(bucket), 0)
  const [total, unanswered, unknown] = [sum((bucket) => bucket.total), sum(unansweredOf), sum(unknownOf)]
  const questions = total === 1 ? '1 question' : `${numberText(total)} questions`
  const share = unanswered === 0 ? 'none' : numberText(unanswered)
  const percent = unanswered === 0 ? '' : ` (${shareText(unanswered / total)})`
  return `${questions}, ${share} without an answer${percent}${unknown === 0 ? '' : `, ${numberText(unknown)} unknown`}`
}

/** The results from the bottom of each bar, without those that no question had. */
export function outcomeParts(buckets: readonly Bucket[]) {
  const valuesOf = (outcome: keyof Bucket['by_outcome']) => buckets.map(({ by_outcome }) => by_outcome[outcome])
  const parts = [
    { label: 'Failed', tone: 'error', values: valuesOf('failed') },
    { label: 'Refused', tone: 'warn', values: valuesOf('refused') },
    { label: 'Unknown', tone: 'unknown', values: valuesOf('unknown') },
    { label: 'Answered', tone: 'info', values: valuesOf('answered') },
  ] as const
  return parts.filter(({ label, values }) => label === 'Answered' || values.some((count) => count > 0))
}

/** Writes the share of each bucket that got no answer. */
export function shareNotes(buckets: readonly Bucket[]) {
  const noteOf = (bucket: Bucket) => (bucket.total === 0 ? 'none' : shareText(unansweredOf(bucket) / bucket.total))
  return { head: 'Without an answer', values: buckets.map(noteOf) }
}

function unansweredOf({ by_outcome: { refused, failed } }: Bucket): number {
  return refused + failed
}

function unknownOf({ by_outcome }: Bucket): number {
  return by_outcome.unknown
}
