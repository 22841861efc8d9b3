import { expect, it } from 'vitest'
import { wholeBuckets } from '#edge/route/series-buckets.ts'
import { toPoints } from './widen.ts'

const MINUTE = 60_000
const FROM = new Date('2026-03-01T12:02:00.000Z')
const after = (ms: number) => new Date(FROM.getTime() + ms)

it('AP-02 wider buckets have the sums, the most memory and the percentiles of what they join', () => {
  const time = wholeBuckets({ from: FROM, until: after(15 * MINUTE) }, 600)
  const row = { requests: 2, failed: 1, latencies: [2], memory_bytes: 5 }
  const rows = [
    { ...row, at: new Date('2026-03-01T12:00:00.000Z') },
    { requests: 3, failed: 0, latencies: [0, 0, 3], memory_bytes: null, at: new Date('2026-03-01T12:05:00.000Z') },
  ]
  expect(toPoints(rows, time, 600)).toEqual([
    { at: '2026-03-01T12:00:00.000Z', requests: 5, failed: 1, p50_ms: 1, p95_ms: 2, memory_bytes: 5 },
    { at: '2026-03-01T12:10:00.000Z', requests: null, failed: null, p50_ms: null, p95_ms: null, memory_bytes: null },
  ])
})
