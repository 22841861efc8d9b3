import { useCall } from '#console/call/use-call.ts'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import { durationText } from '#console/parts/text/duration.ts'
import { countLogs } from '#contract/apps/logs.ts'

type Counted = Parameters<typeof useCall<typeof countLogs.input, typeof countLogs.output>>[1]

/** From the bottom of each bar: the worst is where it is seen first. */
const LEVELS = ['error', 'warn', 'info', 'debug'] as const

/** How many lines were written when, by level. It shows nothing until it is counted, and nothing for an empty time. */
export function LogHistogram({ input }: { input: Counted }) {
  const { data } = useCall(countLogs, input)
  if (!data?.items.some((item) => LEVELS.some((level) => item[level] > 0))) return null
  const { items, bucket_seconds, counted_since } = data
  return (
    <div className="log-histogram">
      <StackedBars
        title="How many lines, and how bad?"
        axis={`Lines in each ${durationText(bucket_seconds)}`}
        labels={items.map(({ at }) => labelOf(at, bucket_seconds))}
        series={LEVELS.map((level) => ({ label: level, values: items.map((item) => item[level]), tone: level }))}
        unit="lines"
      />
      {counted_since !== null && (
        <p className="soft">{`Only the newest 100,000 lines are counted, those since ${new Date(counted_since).toLocaleString()}.`}</p>
      )}
    </div>
  )
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600

/** The beginning of a part of the time, as short as its length allows. */
function labelOf(at: string, seconds: number): string {
  const date = new Date(at)
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
  if (seconds >= DAY_SECONDS) return date.toLocaleDateString(undefined, day)
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false }
  if (seconds >= HOUR_SECONDS) return date.toLocaleString(undefined, { ...day, ...time })
  return date.toLocaleTimeString(undefined, seconds < 60 ? { ...time, second: '2-digit' } : time)
}
