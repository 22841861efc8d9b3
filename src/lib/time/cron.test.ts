import { describe, expect, it } from 'vitest'
import { cronFault, latestTime, nextTime } from './cron.ts'

describe('MA-04 the next time of a schedule', () => {
  it.each([
    ['0 3 * * *', 'UTC', '2026-11-15T03:00:00Z', '2026-11-16T03:00:00Z'],
    ['0 3 * * *', 'UTC', '2026-11-15T02:59:59Z', '2026-11-15T03:00:00Z'],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-28T03:00:00Z', '2026-03-29T01:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['0 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z'],
    ['0 * * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', '2026-10-03T15:30:00Z'],
  ])('%s in %s after %s is %s', (cron, timezone, after, expected) => {
    expect(nextTime({ cron, timezone }, new Date(after))).toEqual(new Date(expected))
  })
})

describe('NO-03 the latest time of a schedule', () => {
  it.each([
    ['0 3 * * *', 'UTC', '2026-11-15T03:00:00Z', '2026-11-15T03:00:00Z'],
    ['0 3 * * *', 'UTC', '2026-11-15T03:00:00.999Z', '2026-11-15T03:00:00Z'],
    ['0 3 * * *', 'UTC', '2026-11-15T02:59:59.999Z', '2026-11-14T03:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-29T01:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-25T00:30:00Z'],
  ])('%s in %s at %s is %s', (cron, timezone, at, expected) => {
    expect(latestTime({ cron, timezone }, new Date(at))).toEqual(new Date(expected))
  })

  it('is the last of those that follow each other, where clocks change too', () => {
    for (const cron of ['30 2 * * *', '0 * * * *', '*/30 2 * * *', '*/7 1-3 * * *']) {
      for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
        for (const start of ['2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31']) {
          let time = nextTime({ cron, timezone }, new Date(start))!
          for (let count = 0; count < 20; count++) {
            const next = nextTime({ cron, timezone }, time)!
            const between = new Date(next.getTime() - 1)
            expect(latestTime({ cron, timezone }, between), `${cron} ${timezone} ${next.toISOString()}`).toEqual(time)
            time = next
          }
        }
      }
    }
  })
})

describe('MA-01 a cron expression', () => {
  it.each([
    ['0 3 * * *', undefined],
    ['*/15 1-4 * * 1-5', undefined],
    ['@daily', 'A schedule has five fields, for example 0 3 * * *.'],
    ['', 'A schedule has five fields, for example 0 3 * * *.'],
    ['0 0 3 * * *', 'A schedule has five fields, for example 0 3 * * *.'],
    ['2027-01-01T00:00:00', 'A schedule has five fields, for example 0 3 * * *.'],
    ['0 25 * * *', 'This is not a cron expression. An example is 0 3 * * *.'],
    ['0 3 31 2 *', 'This schedule has no date that exists.'],
  ])('%j has the fault %j', (cron, expected) => {
    expect(cronFault(cron)).toBe(expected)
  })
})
