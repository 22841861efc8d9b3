import type { ComponentProps } from 'react'
import { Lines } from '#console/charts/lines.tsx'
import { isLong, labelsOf, shownBuckets } from '#console/charts/series/buckets.ts'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import { durationText } from '#console/parts/text/duration.ts'
import { shortDuration } from './short-duration.ts'

type Bucket = {
  readonly at: string
  readonly runs: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}
type Bars = ComponentProps<typeof StackedBars>

type Props<B extends Bucket> = {
  series: { readonly bucket_seconds: number; readonly items: readonly B[] }
  /** Text of the time of the charts. */
  words: string
  title: string
  /** Text before the length of a bucket: in which bucket a run is. */
  axis: string
  /** Sums up what became of runs. */
  totalOf: (buckets: readonly B[]) => string
  partsOf: (buckets: readonly B[]) => Bars['series']
  notesOf?: (buckets: readonly B[]) => Bars['notes']
}

/** Two charts over the same time: the results of runs and how long they took. */
export function RunCharts<B extends Bucket>({ series, words, title, axis, totalOf, partsOf, notesOf }: Props<B>) {
  const buckets = shownBuckets(series.items, ({ runs }) => runs > 0)
  if (buckets.length === 0) return <p className="soft">{`No runs ${words}.`}</p>
  const both = buckets.map((bucket) => labelsOf(bucket, isLong(buckets, series.bucket_seconds)))
  const shared = { labels: both.map(({ label }) => label), ticks: both.map(({ tick }) => tick) }
  const total = `${totalOf(buckets)} ${words}.`
  const notes = notesOf?.(buckets)
  return (
    <>
      <p className="soft">{total}</p>
      <div className="charts narrow">
        <StackedBars
          {...shared}
          {...(notes && { notes })}
          isBesideLines
          title={title}
          axis={`${axis} each ${durationText(series.bucket_seconds)}, by result.`}
          summary={`${total} The table has the numbers.`}
          series={partsOf(buckets)}
          unit="runs"
        />
        <Durations {...shared} buckets={buckets} />
      </div>
    </>
  )
}

type DurationsProps = { labels: readonly string[]; ticks: readonly string[]; buckets: readonly Bucket[] }

function Durations({ buckets, ...shared }: DurationsProps) {
  const slowest = Math.max(0, ...buckets.map(({ p95_ms }) => p95_ms ?? 0))
  return (
    <Lines
      {...shared}
      title="How long do its runs take?"
      axis="Half (p50) and 95 of 100 (p95) of the runs took at most this time."
      summary={`95 of 100 runs took at most ${shortDuration(slowest)} at the slowest. The table has the numbers.`}
      lines={[
        { label: 'p50', values: buckets.map(({ p50_ms }) => p50_ms) },
        { label: 'p95', values: buckets.map(({ p95_ms }) => p95_ms) },
      ]}
      isUnknown={buckets.map(() => false)}
      format={shortDuration}
    />
  )
}
