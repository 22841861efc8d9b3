import { expect, it } from 'vitest'
import { bucketSeconds, everyBucket, runBuckets, wholeBuckets } from './series-buckets.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const FROM = new Date('2026-03-01T12:02:00.000Z')
const after = (ms: number) => new Date(FROM.getTime() + ms)

it.each([
  ['an hour', 60 * MINUTE, 300, 13, 300, 13],
  ['a day', DAY, 300, 289, 1_800, 49],
  ['two days', 2 * DAY, 600, 289, 3_600, 49],
  ['a week', 7 * DAY, 3_600, 169, 10_800, 57],
  ['fourteen days', 14 * DAY, 7_200, 169, 21_600, 57],
])('AP-02 a series of %s has few enough buckets, and fewer if it is one of runs', (_what, ms, ...expected) => {
  const time = { from: FROM, until: after(ms) }
  const seconds = bucketSeconds(time, 300)
  const buckets = (of: Parameters<typeof everyBucket>[1]) => everyBucket([], of, (at) => at)
  const runs = runBuckets(time)
  expect([
    seconds,
    buckets({ ...wholeBuckets(time, seconds), seconds }).length,
    runs.seconds,
    buckets(runs).length,
  ]).toEqual(expected)
})

it('AP-02 each row is in the bucket of its time, and a bucket without rows is there too', () => {
  const at = (minute: number) => ({ at: new Date(Date.UTC(2026, 2, 1, 12, minute)) })
  const time = { ...wholeBuckets({ from: FROM, until: after(13 * MINUTE) }, 300), seconds: 300 }
  const counts = everyBucket([at(0), at(4), at(10)], time, (begin, rows) => [begin.slice(11, 16), rows.length])
  expect(counts).toEqual([
    ['12:00', 2],
    ['12:05', 0],
    ['12:10', 1],
  ])
})
