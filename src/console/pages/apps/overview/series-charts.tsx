import { Lines } from '#console/charts/lines.tsx'
import type { ChartMark } from '#console/charts/marks.tsx'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import { durationText } from '#console/parts/text/duration.ts'
import { latencyText } from '../../mcp/activity/outcome.ts'
import { isKnown, memoryText, type Series, totalText } from './describe-series.ts'

type Bucket = Series['items'][number]
type Props = {
  buckets: readonly Bucket[]
  labels: readonly { readonly label: string; readonly tick: string }[]
  marks: readonly ChartMark[]
  words: string
  bucketSeconds: number
}

/** Three charts over the same time, with the same marks. */
export function SeriesCharts({ buckets, labels: both, marks, words, bucketSeconds }: Props) {
  const labels = both.map(({ label }) => label)
  const ticks = both.map(({ tick }) => tick)
  const shared = { labels, ticks, marks: marks.map((mark) => ({ ...mark, label: `Went live: ${mark.label}` })) }
  const each = durationText(bucketSeconds)
  const isUnknown = buckets.map((bucket) => !isKnown(bucket))
  const most = (of: (bucket: Bucket) => number | null) => Math.max(0, ...buckets.map((bucket) => of(bucket) ?? 0))
  return (
    <div className="charts narrow">
      <StackedBars
        {...shared}
        isBesideLines
        title="How many requests fail?"
        axis={`Requests in each ${each}, with those that failed.`}
        summary={`${totalText(buckets)} ${words}. The table has the numbers.`}
        series={[
          { label: 'Failed', values: buckets.map(({ failed }) => failed), tone: 'error' },
          { label: 'Worked', values: buckets.map(workedOf) },
        ]}
        unit="requests"
      />
      <Lines
        {...shared}
        title="How fast are its answers?"
        axis="Half (p50) and 95 of 100 (p95) began within this time."
        summary={`95 of 100 answers began within ${latencyText(most(({ p95_ms }) => p95_ms))} at the slowest. The table has the numbers.`}
        lines={[
          { label: 'p50', values: buckets.map(({ p50_ms }) => p50_ms) },
          { label: 'p95', values: buckets.map(({ p95_ms }) => p95_ms) },
        ]}
        isUnknown={isUnknown}
        format={(ms) => latencyText(Math.round(ms))}
      />
      {buckets.some(({ memory_bytes }) => memory_bytes !== null) && (
        <Lines
          {...shared}
          title="How much memory does it use?"
          axis={`The most in use at once in each ${each}.`}
          summary={`At most ${memoryText(most(({ memory_bytes }) => memory_bytes))} ${words}. The table has the numbers.`}
          lines={[{ label: 'peak', values: buckets.map(({ memory_bytes }) => memory_bytes) }]}
          isUnknown={isUnknown}
          format={memoryText}
        />
      )}
    </div>
  )
}

function workedOf({ requests, failed }: Bucket): number | null {
  return requests === null || failed === null ? null : requests - failed
}
