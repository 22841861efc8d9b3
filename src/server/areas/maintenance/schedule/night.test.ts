import { describe, expect, it } from 'vitest'
import { decideNight, spreadOf } from './night.ts'

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
  ])('%s', (_, now, change, decision, slot) => {
    expect(decideNight(nightly(change), at(now))).toEqual(
      slot === undefined ? { decision } : { decision, slotAt: at(slot) },
    )
  })

  it('begins within the hour after the slot, for each app at its own time', () => {
    const spreads = Array.from({ length: 500 }, (_, n) => spreadOf(`app_${n}`))
    expect(spreads.every((ms) => ms >= 0 && ms < HOUR_MS)).toBe(true)
    const quarters = [0, 1, 2, 3].map((quarter) => spreads.filter((ms) => Math.floor(ms / (HOUR_MS / 4)) === quarter))
    expect(quarters.every(({ length }) => length > 80)).toBe(true)
  })
})
