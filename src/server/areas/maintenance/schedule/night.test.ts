import { describe, expect, it } from 'vitest'
import { decideNight, isDueByChange, spreadOf } from './night.ts'

const appId = 'app_01jd8y0v7wf9hbq7s7x2e3m4n5'
const HOUR_MS = 3_600_000

const nightly = (change: object = {}) => ({
  schedule: { cron: '0 3 * * *', timezone: 'UTC' },
  cooldownHours: 24,
  appId,
  since: new Date('2026-11-01T12:00:00Z'),
  lastCompleteSlot: null,
  ...change,
})
const at = (time: string) => new Date(time)

describe('MA-04 a night of an app', () => {
  it.each([
    ['before the first slot since it was switched on', '2026-11-02T02:59:59Z', {}, 'none', undefined],
    ['at the slot', '2026-11-02T03:00:00Z', {}, 'wait', '2026-11-02T03:00:00Z'],
    ['an hour later', '2026-11-02T04:00:00Z', {}, 'start', '2026-11-02T03:00:00Z'],
    ['six hours later', '2026-11-02T09:00:00Z', {}, 'start', '2026-11-02T03:00:00Z'],
    ['after a longer downtime', '2026-11-02T09:00:01Z', {}, 'missed', '2026-11-02T03:00:00Z'],
    ['switched on after the slot', '2026-11-02T04:00:00Z', { since: at('2026-11-02T03:30:00Z') }, 'none', undefined],
    [
      'a day after the last complete run',
      '2026-11-03T04:00:00Z',
      { lastCompleteSlot: at('2026-11-02T03:00:00Z') },
      'start',
      '2026-11-03T03:00:00Z',
    ],
    [
      'within a cooldown of two days',
      '2026-11-03T04:00:00Z',
      { lastCompleteSlot: at('2026-11-02T03:00:00Z'), cooldownHours: 48 },
      'cooldown',
      '2026-11-03T03:00:00Z',
    ],
    [
      'with no cooldown, hourly',
      '2026-11-02T05:59:59Z',
      {
        schedule: { cron: '0 * * * *', timezone: 'UTC' },
        cooldownHours: 0,
        lastCompleteSlot: at('2026-11-02T04:00:00Z'),
      },
      'start',
      '2026-11-02T05:00:00Z',
    ],
    [
      'after a day of 23 hours',
      '2026-03-29T02:00:00Z',
      {
        schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
        since: at('2026-03-01T00:00:00Z'),
        lastCompleteSlot: at('2026-03-28T02:00:00Z'),
      },
      'start',
      '2026-03-29T01:00:00Z',
    ],
    [
      'within a cooldown of four hours, every two hours',
      '2026-11-02T05:00:00Z',
      {
        schedule: { cron: '0 */2 * * *', timezone: 'UTC' },
        cooldownHours: 4,
        lastCompleteSlot: at('2026-11-02T02:00:00Z'),
      },
      'cooldown',
      '2026-11-02T04:00:00Z',
    ],
    [
      'after a quarter of a day that the clocks shorten to five hours',
      '2026-03-29T05:00:00Z',
      {
        schedule: { cron: '0 */6 * * *', timezone: 'Europe/Berlin' },
        cooldownHours: 6,
        since: at('2026-03-01T00:00:00Z'),
        lastCompleteSlot: at('2026-03-28T23:00:00Z'),
      },
      'start',
      '2026-03-29T04:00:00Z',
    ],
  ])('%s', (_, now, change, decision, slot) => {
    expect(decideNight(nightly(change), at(now))).toEqual(
      slot === undefined ? { decision } : { decision, slotAt: at(slot) },
    )
  })

  it.each([
    ['* * * * *', '03:05', ['03:00', '03:01', '03:02', '03:03', '03:04']],
    ['*/10 * * * *', '03:30', ['03:00', '03:10', '03:20']],
    ['0,59 * * * *', '04:59', ['03:00', '03:59', '04:00']],
  ])('of the schedule %s begins before the next one, for every app', (cron, until, slots) => {
    const schedule = { cron, timezone: 'UTC' }
    const since = at('2026-11-02T03:00:00Z')
    const end = at(`2026-11-02T${until}:00Z`).getTime()
    for (const id of ['app_a', 'app_b', 'app_c']) {
      const started = new Set<string>()
      // As often as the loop looks.
      for (let now = since.getTime() + 29_000; now < end + 30_000; now += 30_000) {
        const night = decideNight(nightly({ schedule, cooldownHours: 0, appId: id, since }), new Date(now))
        if (night.decision === 'start') started.add(night.slotAt.toISOString().slice(11, 16))
      }
      expect([...started].filter((slot) => slot < until)).toEqual(slots)
    }
  })

  it('begins within the hour after the slot, for each app at its own time', () => {
    const spreads = Array.from({ length: 500 }, (_, n) => spreadOf(`app_${n}`))
    expect(spreads.every((ms) => ms >= 0 && ms < HOUR_MS)).toBe(true)
    const quarters = [0, 1, 2, 3].map((quarter) => spreads.filter((ms) => Math.floor(ms / (HOUR_MS / 4)) === quarter))
    expect(quarters.every(({ length }) => length > 80)).toBe(true)
  })
})

it.each([
  ['the first night after a change', '2026-01-01T12:00Z', '2026-01-01T03:00Z', '2026-01-04T03:00Z', true],
  ['the first night of all', '2026-01-01T12:00Z', null, '2026-01-02T03:00Z', true],
  ['the second night, within a day', '2026-01-01T12:00Z', '2026-01-01T12:05Z', '2026-01-01T12:10Z', true],
  ['the second night, after a day', '2026-01-01T12:00Z', '2026-01-02T03:00Z', '2026-01-03T03:00Z', false],
])('MA-10 a night is due by a change of the schedule: %s', (_, since, lastDecided, slotAt, expected) => {
  const lastDecidedSlot = lastDecided === null ? null : new Date(lastDecided)
  expect(isDueByChange({ since: new Date(since), lastDecidedSlot, slotAt: new Date(slotAt) })).toBe(expected)
})
