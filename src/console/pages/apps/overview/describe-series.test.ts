import { expect, it } from 'vitest'
import { beginOf } from '#console/charts/series/range.ts'
import { knownBuckets, marksOf, memoryText, totalText } from './describe-series.ts'

const NOTHING = { requests: null, failed: null, p50_ms: null, p95_ms: null, memory_bytes: null }
const bucket = (minute: number, requests: number | null, failed = 0) => ({
  ...NOTHING,
  at: `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`,
  requests,
  failed: requests === null ? null : failed,
})

it.each([
  [{}, {}],
  [{ within: '1h' as const }, { from: '2026-03-01T11:05:00.000Z' }],
  [{ within: '14d' as const }, { from: '2026-02-15T12:05:00.000Z' }],
])('CO-11 the time of %j is asked for as %j, which the server accepts', (search, begin) => {
  expect(beginOf(search, Date.parse('2026-03-01T12:02:00.000Z'))).toEqual(begin)
})

it('CO-11 a chart begins where something is known, and keeps a gap after that', () => {
  const [unknown, first, gap, last, next] = [0, 5, 10, 15, 20].map((minute, place) =>
    bucket(minute, [1, 3].includes(place) ? 1 : null),
  )
  expect(knownBuckets([unknown!, first!, gap!, last!, next!])).toEqual([first, gap, last])
  expect(knownBuckets([unknown!, gap!])).toEqual([])
})

it.each([
  [[0, 0], [0, 0], 'No requests'],
  [[1, 0], [0, 0], '1 request, none failed'],
  [[700, 500], [0, 3], '1,200 requests, 3 failed (0.3 %)'],
  [[9_000, null], [1, 0], '9,000 requests, 1 failed (less than 0.1 %)'],
])('CO-11 the requests %j of which %j failed are summed up', (requests, failed, text) => {
  expect(totalText(requests.map((count, place) => bucket(place, count, failed[place])))).toBe(text)
})

it('CO-11 a deploy is marked where it went live, and not outside of the chart', () => {
  const deploys = ['2026-03-01T11:59:00.000Z', '2026-03-01T12:07:30.000Z', '2026-03-01T12:11:00.000Z'].map(
    (live_at, place) => ({ id: `dep_${place}`, message: null, live_at }),
  )
  const marks = marksOf(deploys, [bucket(0, 1), bucket(5, 1)], 300)
  expect(marks).toMatchObject([{ id: 'dep_1', label: 'without a message', place: 1.5 }])
})

it.each([
  [800_000, '0.8 MB'],
  [84_400_000, '84 MB'],
  [1_530_000_000, '1.5 GB'],
])('CO-11 %d bytes of memory are written as %s', (bytes, text) => {
  expect(memoryText(bytes)).toBe(text)
})
