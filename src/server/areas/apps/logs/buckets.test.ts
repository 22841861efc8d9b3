import { describe, expect, it } from 'vitest'
import { bucketSeconds, toBuckets } from './buckets.ts'

const at = (text: string) => new Date(`2026-03-01T${text}Z`)

describe('CO-09 parts of a time', () => {
  it.each([
    ['one second', '12:00:00', '12:00:01', 1],
    ['a minute', '12:00:00', '12:01:00', 5],
    ['an hour', '12:00:00', '13:00:00', 300],
    ['a day', '00:00:00', '23:59:59', 1800],
  ])('%s', (_, since, until, seconds) => {
    expect(bucketSeconds(at(since), at(until))).toBe(seconds)
  })

  it.each([
    ['a week', 7, 10_800],
    ['a month', 30, 86_400],
    ['a year', 365, 604_800],
    ['thirty years', 10_950, 16_070_400],
  ])('%s', (_, days, seconds) => {
    expect(bucketSeconds(new Date(0), new Date(days * 86_400_000))).toBe(seconds)
  })

  it('begin at whole multiples, and those without a line are there too', () => {
    const first = Date.parse('2026-03-01T12:00:00Z') / 1000 / 300
    const counts = [
      { bucket: first, level: 2, count: 3 },
      { bucket: first + 2, level: 4, count: 1 },
      { bucket: first + 2, level: 3, count: 5 },
      // Outside of the time, as a line of a wrong clock would be.
      { bucket: first + 99, level: 4, count: 7 },
    ]
    expect(toBuckets(counts, at('12:01:00'), at('12:11:00'), 300)).toEqual([
      { at: '2026-03-01T12:00:00.000Z', debug: 0, info: 3, warn: 0, error: 0 },
      { at: '2026-03-01T12:05:00.000Z', debug: 0, info: 0, warn: 0, error: 0 },
      { at: '2026-03-01T12:10:00.000Z', debug: 0, info: 0, warn: 5, error: 1 },
    ])
  })
})
