/** Bounds per doubling, so that a bound is at most 42 % above the one before. */
const BOUNDS_PER_DOUBLING = 2
const DOUBLINGS = 16
/** The last bucket has everything above the longest bound, which is 65.5 seconds. */
export const LATENCY_BUCKETS = DOUBLINGS * BOUNDS_PER_DOUBLING + 2

/** Returns the bucket of a latency. The first one has up to a millisecond. */
export function bucketOf(ms: number): number {
  if (ms <= 1) return 0
  return Math.min(Math.ceil(Math.log2(ms) * BOUNDS_PER_DOUBLING), LATENCY_BUCKETS - 1)
}

/**
 * Returns the milliseconds within which the share of all answers came, estimated within the bucket where that is reached.
 * It is the longest bound, and so too low, where that is the last bucket. Null: there were no answers.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = total * share
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) return Math.round(within(bucket, (rank - before) / count))
    before += count
  }
  return Math.round(upperBound(LATENCY_BUCKETS - 2))
}

/** Latencies are taken to be spread evenly over the logarithms of a bucket. */
function within(bucket: number, share: number): number {
  if (bucket === 0) return 1
  if (bucket >= LATENCY_BUCKETS - 1) return upperBound(LATENCY_BUCKETS - 2)
  return upperBound(bucket - 1 + share)
}

function upperBound(bucket: number): number {
  return 2 ** (bucket / BOUNDS_PER_DOUBLING)
}

/** Adds counts to others in place. Counts may lack buckets at their end, which are 0. */
export function addBuckets(to: number[], counts: readonly number[]): void {
  for (const [bucket, count] of counts.entries()) to[bucket] = (to[bucket] ?? 0) + count
}
