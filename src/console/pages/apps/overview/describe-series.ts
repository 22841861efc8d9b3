import type { z } from 'zod'
import { dayLabel } from '#console/charts/day-label.ts'
import { numberText } from '#console/charts/number-text.ts'
import type { readSeries } from '#contract/apps/series.ts'
import type { OverviewSearch } from './read-overview-search.ts'

export type Series = z.output<typeof readSeries.output>
type Bucket = Series['items'][number]

/** Buckets do not begin between these times, so that a page that reads again asks for the same time. */
const STEP_MS = 5 * 60_000
const HOUR_MS = 3_600_000
const DAY_SECONDS = 86_400

export const RANGES = [
  { value: '1h', label: 'Last hour', words: 'in the last hour', ms: HOUR_MS },
  { value: '24h', label: 'Last 24 hours', words: 'in the last 24 hours', ms: undefined },
  { value: '14d', label: 'Last 14 days', words: 'in the last 14 days', ms: 14 * 24 * HOUR_MS },
] as const

export function rangeOf({ within }: OverviewSearch): (typeof RANGES)[number] {
  return RANGES.find(({ value }) => value === within) ?? RANGES[1]
}

/** Returns when the time of a search begins. Without a beginning the server answers the last day. */
export function beginOf(search: OverviewSearch, nowMs: number): { from?: string } {
  const { ms } = rangeOf(search)
  return ms === undefined ? {} : { from: new Date(Math.ceil(nowMs / STEP_MS) * STEP_MS - ms).toISOString() }
}

/**
 * Returns the buckets from the first one in which something is known. The last one is left out while nothing is known of
 * it, because it has just begun.
 */
export function knownBuckets(items: readonly Bucket[]): readonly Bucket[] {
  const first = items.findIndex(isKnown)
  if (first === -1) return []
  return items.slice(first, isKnown(items.at(-1)!) ? undefined : -1)
}

export function isKnown({ requests }: Bucket): boolean {
  return requests !== null
}

/** Writes when a bucket begins, as the table has it and as short as below a chart. */
export function labelsOf(
  { at }: Pick<Bucket, 'at'>,
  byDay: boolean,
): { readonly label: string; readonly tick: string } {
  const date = new Date(at)
  const time = `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
  const day = dayLabel(at)
  return { label: `${day} ${time}`, tick: byDay ? day : time }
}

/** Whether the time has so many days that days tell its buckets apart. */
export function isLong(buckets: readonly Bucket[], bucketSeconds: number): boolean {
  return buckets.length * bucketSeconds > 2 * DAY_SECONDS
}

/** Returns how many requests there were and how many of them failed: `1,204 requests, 3 failed (0.2 %)`. */
export function totalText(buckets: readonly Bucket[]): string {
  const sum = (of: (bucket: Bucket) => number | null) => buckets.reduce((all, bucket) => all + (of(bucket) ?? 0), 0)
  const [requests, failed] = [sum((bucket) => bucket.requests), sum((bucket) => bucket.failed)]
  const all = requests === 1 ? '1 request' : `${numberText(requests)} requests`
  if (requests === 0) return 'No requests'
  return failed === 0 ? `${all}, none failed` : `${all}, ${numberText(failed)} failed (${shareText(failed / requests)})`
}

function shareText(share: number): string {
  const percent = share * 100
  return percent < 0.1 ? 'less than 0.1 %' : `${Number(percent.toFixed(1))} %`
}

type Mark = { readonly id: string; readonly label: string; readonly place: number }

/** Returns where deploys went live, in buckets from the first one on. Those before it are left out. */
export function marksOf(
  deploys: Series['deploys'],
  buckets: readonly Bucket[],
  bucketSeconds: number,
): (Mark & { readonly live_at: string })[] {
  const first = Date.parse(buckets[0]!.at)
  return deploys
    .map(({ id, message, live_at }) => {
      const place = (Date.parse(live_at) - first) / 1000 / bucketSeconds
      return { id, label: message ?? 'without a message', place, live_at }
    })
    .filter(({ place }) => place >= 0 && place <= buckets.length)
}

/** Writes bytes of memory in as little room as the labels of a chart have: `84 MB`, `1.5 GB`. */
export function memoryText(bytes: number): string {
  const megabytes = bytes / 1_000_000
  if (megabytes >= 1000) return `${Number((megabytes / 1000).toFixed(1))} GB`
  return `${megabytes < 10 ? Number(megabytes.toFixed(1)) : Math.round(megabytes)} MB`
}
