import { Link, useSearch } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { isLong, labelsOf } from '#console/charts/series/buckets.ts'
import { beginOf, rangeOf } from '#console/charts/series/range.ts'
import { RangeSection } from '#console/charts/series/range-section.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import type { App } from '#contract/apps/apps.ts'
import { readSeries } from '#contract/apps/series.ts'
import { isKnown, knownBuckets, marksOf, type Series, totalText } from './describe-series.ts'
import { SeriesCharts } from './series-charts.tsx'

/** Shows how the app is doing: its requests, its latency and its memory, over a time that is in the address. */
export function AppSeries({ app }: { app: App }) {
  const search = useSearch({ from: '/apps/$alias' })
  const range = rangeOf(search)
  const input = { alias: app.alias, ...beginOf(search, Date.now()) }
  const series = useCall(readSeries, input, { poll: 'background', keep: true })
  return (
    <RangeSection title="How is it doing?" range={range}>
      <Loaded of={series} rows={4}>
        {(data) => <Drawn app={app} series={data} words={range.words} />}
      </Loaded>
    </RangeSection>
  )
}

type DrawnProps = { app: App; series: Series; words: string }

function Drawn({ app, series: { items, bucket_seconds, deploys }, words }: DrawnProps) {
  const buckets = knownBuckets(items)
  if (buckets.length === 0) return <NothingCounted app={app} words={words} />
  const labels = buckets.map((bucket) => labelsOf(bucket, isLong(buckets, bucket_seconds)))
  const marks = marksOf(deploys, buckets, bucket_seconds)
  return (
    <>
      <p className="soft">
        {`${totalText(buckets)} ${words}.`}
        {!buckets.every(isKnown) && ' Nothing was counted in the hatched time.'}
      </p>
      <SeriesCharts {...{ buckets, labels, marks, words }} bucketSeconds={bucket_seconds} />
      {marks.length > 0 && <LiveDeploys alias={app.alias} marks={marks} />}
    </>
  )
}

const MAX_NAMED = 3

/** Names the newest marks of the charts. */
function LiveDeploys({ alias, marks }: { alias: string; marks: ReturnType<typeof marksOf> }) {
  return (
    <p className="soft">
      {'▲ went live: '}
      {marks
        .slice(-MAX_NAMED)
        .toReversed()
        .map(({ id, label, live_at }, place) => (
          <span key={id}>
            {place > 0 && ', '}
            <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: id }}>
              {label}
            </Link>
            {` at ${labelsOf({ at: live_at }, false).label}`}
          </span>
        ))}
      {marks.length > MAX_NAMED && `, and ${marks.length - MAX_NAMED} before`}
    </p>
  )
}

function NothingCounted({ app, words }: { app: App; words: string }) {
  return (
    <div className="card">
      <p>{`Nothing was counted ${words}. ${reasonOf(app)}`}</p>
      <p className="soft">
        Here you will see how many requests of visitors the app gets and how many fail, how long answers take, and how
        much memory it uses, with the deploys that went live. svc counts at the door, so the app needs no change.
      </p>
    </div>
  )
}

function reasonOf({ settings, live_deploy, url }: App): string {
  if (settings.start_command === null) return 'The app runs elsewhere, where svc sees no requests.'
  if (live_deploy === null) return 'No revision of the app is live.'
  return url === null
    ? 'The app has no address that visitors could open.'
    : 'Open its address to make the first request.'
}
