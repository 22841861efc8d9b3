import type { z } from 'zod'
import { numberText, shareText } from '#console/charts/number-text.ts'
import { shownBuckets } from '#console/charts/series/buckets.ts'
import type { readSeries } from '#contract/apps/series.ts'

export type Series = z.output<typeof readSeries.output>
type Bucket = Series['items'][number]
type Counted = Pick<Bucket, 'requests' | 'failed'>

/** Returns the buckets in which something is known, and those between them. */
export function knownBuckets(items: readonly Bucket[]): readonly Bucket[] {
  return shownBuckets(items, isKnown)
}

export function isKnown({ requests }: Bucket): boolean {
  return requests !== null
}

/** Returns how many requests there were and how many of them failed: `1,204 requests, 3 failed (0.2 %)`. */
export function totalText(buckets: readonly Counted[]): string {
  const sum = (of: (bucket: Counted) => number | null) => buckets.reduce((all, bucket) => all + (of(bucket) ?? 0), 0)
  const [requests, failed] = [sum((bucket) => bucket.requests), sum((bucket) => bucket.failed)]
  const all = requests === 1 ? '1 request' : `${numberText(requests)} requests`
  if (requests === 0) return 'No requests'
  return failed === 0 ? `${all}, none failed` : `${all}, ${numberText(failed)} failed (${shareText(failed / requests)})`
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
