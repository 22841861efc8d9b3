import type { SeriesTime } from './series-time.ts'

const PART_SECONDS = 300
/** In parts of five minutes: 5, 10, 15 and 30 minutes, 1, 2, 3 and 6 hours. */
const WIDTHS = [1, 2, 3, 6, 12, 24, 36, 72]
/** Runs are much fewer than requests, so that narrow buckets would hold one run or none. */
const MAX_RUN_BUCKETS = 60

/** Returns the shortest length of a bucket with which the time has at most `maxBuckets`. The first and the last may be cut. */
export function bucketSeconds({ from, until }: SeriesTime, maxBuckets: number): number {
  const parts = (until.getTime() - from.getTime()) / 1000 / PART_SECONDS
  const width = WIDTHS.find((each) => parts / each <= maxBuckets - 1) ?? Math.ceil(parts / (maxBuckets - 1))
  return width * PART_SECONDS
}

/** Returns the time from the beginning of its first bucket to the end of its last one. */
export function wholeBuckets({ from, until }: SeriesTime, seconds: number): SeriesTime {
  const ms = seconds * 1000
  return {
    from: new Date(Math.floor(from.getTime() / ms) * ms),
    until: new Date(Math.ceil(until.getTime() / ms) * ms),
  }
}

/** The buckets of a series of runs, at most 60. */
export function runBuckets(time: SeriesTime): SeriesTime & { readonly seconds: number } {
  const seconds = bucketSeconds(time, MAX_RUN_BUCKETS)
  return { ...wholeBuckets(time, seconds), seconds }
}

/** Returns a point for every bucket of a time of whole ones, made of the rows that are in it. */
export function everyBucket<R extends { readonly at: Date }, P>(
  rows: readonly R[],
  { from, until, seconds }: SeriesTime & { readonly seconds: number },
  toPoint: (at: string, rows: readonly R[]) => P,
): P[] {
  const ms = seconds * 1000
  const placeOf = (at: Date) => Math.floor((at.getTime() - from.getTime()) / ms)
  const rowsOf = Map.groupBy(rows, ({ at }) => placeOf(at))
  return Array.from({ length: placeOf(until) }, (_, place) =>
    toPoint(new Date(from.getTime() + place * ms).toISOString(), rowsOf.get(place) ?? []),
  )
}
