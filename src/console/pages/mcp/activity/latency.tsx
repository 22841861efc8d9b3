import { useMemo } from 'react'
import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { dayLabel, hourLabel } from '#console/charts/day-label.ts'
import { Lines } from '#console/charts/lines.tsx'
import { LoadFailed } from '#console/parts/page/load-failed.tsx'
import { type ActivityStatistics, activityStatistics } from '#contract/activity.ts'
import { latencyText } from './outcome.ts'
import { QuestionOutcomes } from './question-outcomes.tsx'
import type { ActivitySearch } from './read-activity-search.ts'
import { sinceFirst } from './since-first.ts'
import { toStatistics } from './to-statistics.ts'

type Props = {
  search: ActivitySearch
  /** Whether the results of the questions are shown before it. */
  hasOutcomes?: boolean
}

/** How long answers took over the time of a view. Nothing is shown while nothing was called. */
export function Latency({ search, hasOutcomes = false }: Props) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const counted = useMemo(() => toStatistics(search, new Date()), [search])
  if (!counted) return null
  return (
    <Drawn input={{ ...counted.input, timezone: timeZone }} timeText={counted.timeText} hasOutcomes={hasOutcomes} />
  )
}

type Bucket = ActivityStatistics['buckets'][number]

type DrawnProps = { input: z.input<typeof activityStatistics.input>; timeText: string; hasOutcomes: boolean }

function Drawn({ input, timeText, hasOutcomes }: DrawnProps) {
  const statistics = useCall(activityStatistics, input, { keep: true, poll: 'statistics' })
  if (statistics.data === undefined)
    return statistics.error ? <LoadFailed error={statistics.error} onRetry={() => void statistics.refetch()} /> : null
  const buckets = sinceFirst(statistics.data.buckets)
  if (buckets.length === 0) return null
  const labelOf = input.bucket === 'hour' ? hourLabel : dayLabel
  const labels = buckets.map(({ start }) => labelOf(start))
  const latency = <LatencyLines buckets={buckets} labels={labels} timeText={timeText} />
  if (!hasOutcomes) return latency
  return (
    <section aria-label="Questions over time" className="charts">
      <QuestionOutcomes buckets={buckets} labels={labels} timeText={timeText} />
      {latency}
    </section>
  )
}

type LinesProps = { buckets: readonly Bucket[]; labels: readonly string[]; timeText: string }

function LatencyLines({ buckets, labels, timeText }: LinesProps) {
  if (buckets.length === 1) return <OnePoint bucket={buckets[0]!} when={labels[0]!} />
  return (
    <Lines
      title={`How long did answers take ${timeText}?`}
      axis="Time until the answer of answered calls. p50: half of them were faster; p95: 95 of 100 were."
      labels={labels}
      lines={[
        { label: 'p50', values: buckets.map(({ p50_ms }) => p50_ms) },
        { label: 'p95', values: buckets.map(({ p95_ms }) => p95_ms) },
      ]}
      isUnknown={buckets.map(({ total, p50_ms }) => total > 0 && p50_ms === null)}
      format={(ms) => latencyText(Math.round(ms))}
    />
  )
}

/** A line needs two points. */
function OnePoint({ bucket: { p50_ms, p95_ms }, when }: { bucket: Bucket; when: string }) {
  if (p50_ms === null || p95_ms === null) return null
  return (
    <p className="soft">
      {`Answers, ${when}: half of them took at most ${latencyText(Math.round(p50_ms))}, 95 of 100 at most ${latencyText(Math.round(p95_ms))}.`}
    </p>
  )
}
