import type { LogRecord } from '#contract/apps/logs.ts'
import { levelName } from './level.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Lengths that people count in. */
const LENGTHS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY]
const MAX_BUCKETS = 60

/** Returns the seconds of a part of the time, of which there are at most 60. Parts of very long times are whole days. */
export function bucketSeconds(since: Date, until: Date): number {
  const seconds = (until.getTime() - since.getTime()) / 1000
  // The first and the last part may be cut.
  const length = LENGTHS.find((each) => seconds / each <= MAX_BUCKETS - 1)
  return length ?? Math.ceil(seconds / DAY / (MAX_BUCKETS - 1)) * DAY
}

export type LineCount = { readonly bucket: number; readonly level: number; readonly count: number }
type Bucket = { at: string } & Record<LogRecord['level'], number>

/** Returns every part of the time, also those without a line. Parts begin at whole multiples of their length in UTC. */
export function toBuckets(counts: readonly LineCount[], since: Date, until: Date, seconds: number): Bucket[] {
  const [first, last] = [since, until].map((at) => Math.floor(at.getTime() / 1000 / seconds)) as [number, number]
  const buckets = Array.from({ length: last - first + 1 }, (_, index) => ({
    at: new Date((first + index) * seconds * 1000).toISOString(),
    debug: 0,
    info: 0,
    warn: 0,
    error: 0,
  }))
  for (const { bucket, level, count } of counts) {
    const at = buckets[bucket - first]
    if (at) at[levelName(level)] += count
  }
  return buckets
}
