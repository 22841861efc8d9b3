import { expect, it } from 'vitest'
import { addBuckets, bucketOf, LATENCY_BUCKETS, percentileOf } from './latency-buckets.ts'

const LAST = LATENCY_BUCKETS - 1

it.each([
  [0, 0],
  [1, 0],
  [2, 2],
  [3, 4],
  [4, 4],
  [1_000, 20],
  [65_536, LAST - 1],
  [65_537, LAST],
  [Number.MAX_SAFE_INTEGER, LAST],
])('AP-02 a latency of %d ms is counted in bucket %d', (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket)
})

const counted = (...latencies: readonly number[]) => {
  const counts = Array.from({ length: LATENCY_BUCKETS }, () => 0)
  for (const ms of latencies) counts[bucketOf(ms)]! += 1
  return counts
}

it.each([
  ['of no answers is not known', [], 0.5, null],
  ['of one answer is its bucket', [1], 0.5, 1],
  ['of equal answers is within their bucket', [100, 100, 100, 100], 0.5, 108],
  ['is that of the slow ones when the share reaches them', [1, 1, 1, 1_000], 0.95, 955],
  ['is that of the fast ones before', [1, 1, 1, 1_000], 0.5, 1],
  ['is at least the longest bound beyond it', [1_000_000], 0.5, 65_536],
])('AP-02 a percentile %s', (_what, latencies, share, expected) => {
  expect(percentileOf(counted(...latencies), share)).toBe(expected)
})

it('AP-02 a percentile is at most half an order from the exact one, for latencies of every size', () => {
  for (let ms = 1; ms < 60_000; ms = Math.ceil(ms * 1.3)) {
    const found = percentileOf(counted(...Array.from({ length: 100 }, () => ms)), 0.95)!
    expect(found / ms).toBeGreaterThan(0.7)
    expect(found / ms).toBeLessThan(1.42)
  }
})

it('AP-02 counts are added, also to those that lack the last buckets', () => {
  const counts = [1, 2]
  addBuckets(counts, [1, 0, 5])
  expect(counts).toEqual([2, 2, 5])
})
