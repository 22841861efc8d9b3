import fc from 'fast-check'
import { expect, it } from 'vitest'
import { windowEnd } from './window.ts'

it.each([
  ['hourly', 'UTC', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
  ['hourly', 'UTC', '2026-03-01T10:59:59.999Z', '2026-03-01T11:00:00.000Z'],
  ['hourly', 'Asia/Kolkata', '2026-03-01T10:05:00.000Z', '2026-03-01T10:30:00.000Z'],
  ['daily', 'UTC', '2026-03-01T08:59:59.999Z', '2026-03-01T09:00:00.000Z'],
  ['daily', 'UTC', '2026-03-01T09:00:00.000Z', '2026-03-02T09:00:00.000Z'],
  ['daily', 'Asia/Kolkata', '2026-03-01T00:00:00.000Z', '2026-03-01T03:30:00.000Z'],
  // Clocks go forward in Berlin at 01:00 UTC: the day has 23 hours.
  ['daily', 'Europe/Berlin', '2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z'],
  ['hourly', 'Europe/Berlin', '2026-03-29T00:30:00.000Z', '2026-03-29T01:00:00.000Z'],
  // Clocks go back in Berlin at 01:00 UTC: the hour from 02:00 comes twice and has two windows.
  ['daily', 'Europe/Berlin', '2026-10-24T07:00:00.000Z', '2026-10-25T08:00:00.000Z'],
  ['hourly', 'Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T01:00:00.000Z'],
  ['hourly', 'Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-25T02:00:00.000Z'],
  // Clocks on Lord Howe go forward by half an hour at 15:30 UTC, from 02:00 to 02:30: the next full hour is 03:00.
  ['hourly', 'Australia/Lord_Howe', '2026-10-03T15:10:00.000Z', '2026-10-03T16:00:00.000Z'],
] as const)('NO-14 %s in %s: what happens at %s is sent at %s', (timing, timezone, at, end) => {
  expect(windowEnd(timing, timezone, new Date(at)).toISOString()).toBe(end)
})

const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Sao_Paulo']
const times = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })

it('NO-14 windows follow each other without a gap or an overlap', () => {
  fc.assert(
    fc.property(fc.constantFrom('hourly', 'daily'), fc.constantFrom(...zones), times, (timing, timezone, at) => {
      const end = windowEnd(timing, timezone, at)
      expect(end.getTime()).toBeGreaterThan(at.getTime())
      expect(end.getTime() - at.getTime()).toBeLessThanOrEqual(timing === 'hourly' ? 90 * 60_000 : 26 * 3_600_000)
      const justBefore = new Date(end.getTime() - 1)
      expect(windowEnd(timing, timezone, justBefore)).toEqual(end)
      expect(windowEnd(timing, timezone, end).getTime()).toBeGreaterThan(end.getTime())
    }),
    { seed: 13, numRuns: 300 },
  )
})
