import { describe, expect, it } from 'vitest'
import { dayIn, type LimitDay, limitDay } from './day.ts'

describe('MA-08 a day of the pool', () => {
  it.each([
    ['UTC', '2026-03-01T23:59:59.999Z', '2026-03-01'],
    ['UTC', '2026-03-02T00:00:00.000Z', '2026-03-02'],
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    // Summer time begins on 29 March and ends on 25 October.
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
    ['America/Los_Angeles', '2026-01-01T07:59:59Z', '2025-12-31'],
    ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', '2026-01-02'],
    ['Asia/Kathmandu', '2026-06-30T18:15:00Z', '2026-07-01'],
  ])('in %s at %s is %s', (timezone, now, day) => {
    expect(dayIn(timezone, new Date(now))).toBe(day)
  })

  it('an unknown timezone is refused', () => {
    expect(() => dayIn('Mars/Olympus', new Date())).toThrow(RangeError)
  })
})

/** Spends at each moment, in the timezone that is set then, and returns the day that each counts for. */
function spend(moments: readonly (readonly [string, string])[]): string[] {
  let former: LimitDay | undefined
  return moments.map(([timezone, now]) => {
    former = limitDay(former, timezone, new Date(now))
    return former.day
  })
}

const [EAST, WEST, UTC] = ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC']

describe('MA-08 a day of a limit', () => {
  it.each([
    [
      'ends at midnight of its timezone',
      [
        [UTC, '2026-03-01T23:59:59Z', '2026-03-01'],
        [UTC, '2026-03-02T00:00:00Z', '2026-03-02'],
        [UTC, '2026-03-09T12:00:00Z', '2026-03-09'],
      ],
    ],
    [
      'is not ended by a change to a zone in the east, where it is tomorrow',
      [
        [UTC, '2026-03-01T12:00:00Z', '2026-03-01'],
        [EAST, '2026-03-01T12:00:01Z', '2026-03-01'],
        [EAST, '2026-03-01T23:59:59Z', '2026-03-01'],
        // Midnight where the day began, but not a midnight of the zone that is set.
        [EAST, '2026-03-02T00:00:00Z', '2026-03-01'],
        [EAST, '2026-03-02T10:00:00Z', '2026-03-03'],
      ],
    ],
    [
      'is not begun again by a change to a zone in the west, where it is still the same date',
      [
        [EAST, '2026-03-01T10:00:00Z', '2026-03-02'],
        [WEST, '2026-03-01T10:00:01Z', '2026-03-02'],
        [WEST, '2026-03-02T12:00:00Z', '2026-03-02'],
        [WEST, '2026-03-03T11:59:59Z', '2026-03-02'],
        [WEST, '2026-03-03T12:00:00Z', '2026-03-03'],
      ],
    ],
    [
      'is one day however often the zone changes there and back',
      [
        [UTC, '2026-03-01T12:00:00Z', '2026-03-01'],
        [EAST, '2026-03-01T12:00:01Z', '2026-03-01'],
        [UTC, '2026-03-01T12:00:02Z', '2026-03-01'],
        [WEST, '2026-03-01T12:00:03Z', '2026-03-01'],
        [EAST, '2026-03-01T12:00:04Z', '2026-03-01'],
        [UTC, '2026-03-01T23:59:59Z', '2026-03-01'],
        [UTC, '2026-03-02T00:00:00Z', '2026-03-02'],
      ],
    ],
    [
      'has 23 hours when summer time begins and 25 when it ends',
      [
        ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
        ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
        ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
        ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25'],
        ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
        ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
      ],
    ],
    [
      'ends where its midnight does not exist, because summer time begins then',
      [
        // The clocks of Beirut go from 00:00 to 01:00.
        ['Asia/Beirut', '2026-03-28T21:59:59Z', '2026-03-28'],
        ['Asia/Beirut', '2026-03-28T22:00:00Z', '2026-03-29'],
        ['Asia/Beirut', '2026-03-29T20:59:59Z', '2026-03-29'],
        ['Asia/Beirut', '2026-03-29T21:00:00Z', '2026-03-30'],
      ],
    ],
  ])('%s', (_, moments) => {
    expect(spend(moments.map(([timezone, now]) => [timezone!, now!]))).toEqual(moments.map(([, , day]) => day))
  })

  it('never begins within 18 hours of another, whatever is set in every fifth hour of a month', () => {
    const zones = [UTC, EAST, WEST, 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe']
    let former: LimitDay | undefined
    let begun = Number.NEGATIVE_INFINITY
    let days = 0
    for (let hour = 0; hour < 31 * 24; hour += 5) {
      const now = new Date(Date.UTC(2026, 2, 10, hour))
      const next = limitDay(former, zones[(hour * 7 + (hour >> 3)) % zones.length]!, now)
      if (next.day !== former?.day) {
        // Up to five hours pass before a day that has begun is seen.
        expect(now.getTime() - begun).toBeGreaterThan(18 * 3_600_000)
        begun = now.getTime()
        days++
      }
      former = next
    }
    expect(days).toBeLessThanOrEqual(32)
  })

  it('that an older release began ends with its date', () => {
    const old = { day: '2026-03-01', endsAt: null }
    expect(limitDay(old, UTC, new Date('2026-03-01T12:00:00Z'))).toMatchObject({ day: '2026-03-01' })
    expect(limitDay(old, UTC, new Date('2026-03-02T00:00:00Z'))).toMatchObject({ day: '2026-03-02' })
  })
})
