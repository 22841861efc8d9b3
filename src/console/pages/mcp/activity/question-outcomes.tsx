import { StackedBars } from '#console/charts/stacked-bars.tsx'
import type { ActivityStatistics } from '#contract/activity.ts'
import { describeUnanswered, outcomeParts, shareNotes } from './describe-unanswered.ts'

type Props = { buckets: readonly ActivityStatistics['buckets'][number][]; labels: readonly string[]; timeText: string }

/** Questions over time by their result, with the share of those without an answer. */
export function QuestionOutcomes({ buckets, labels, timeText }: Props) {
  const total = `${describeUnanswered(buckets)} ${timeText}.`
  return (
    <>
      <p className="soft">{total}</p>
      <StackedBars
        title={`How many questions get no answer ${timeText}?`}
        axis="Questions by result. Refused: a fault of the question or its limits; failed: one of the source or of svc."
        summary={`${total} The table has the numbers.`}
        labels={labels}
        series={outcomeParts(buckets)}
        notes={shareNotes(buckets)}
        unit="questions"
      />
    </>
  )
}
