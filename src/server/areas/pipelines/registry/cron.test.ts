import { expect, it } from 'vitest'
import { scheduleFault, slotToDecide } from './cron.ts'

// biome-ignore format: the columns are the point
it.each([
  ['not due yet',                          '0 3 * * *',   '2026-06-02T03:00:00Z', '2026-06-02T02:59:59Z', undefined],
  ['due now',                              '0 3 * * *',   '2026-06-02T03:00:00Z', '2026-06-02T03:00:00Z', '2026-06-02T03:00'],
  ['due within the start window',          '0 3 * * *',   '2026-06-02T03:00:00Z', '2026-06-02T03:04:59Z', '2026-06-02T03:00'],
  ['a week of missed nights is one',       '0 3 * * *',   '2026-06-02T03:00:00Z', '2026-06-08T12:00:00Z', '2026-06-08T03:00'],
  ['missed nights come before this one',   '0 3 * * *',   '2026-06-02T03:00:00Z', '2026-06-08T03:01:00Z', '2026-06-07T03:00'],
  ['this night, once those are decided',   '0 3 * * *',   '2026-06-08T03:00:00Z', '2026-06-08T03:01:00Z', '2026-06-08T03:00'],
  ['minutes too old to run are one',       '* * * * *',   '2026-06-02T03:00:00Z', '2026-06-02T09:00:30Z', '2026-06-02T08:55'],
  ['minutes that can still run are one',   '* * * * *',   '2026-06-02T08:56:00Z', '2026-06-02T09:00:30Z', '2026-06-02T09:00'],
  ['a slot of a former schedule',          '0 3 * * *',   '2026-06-02T02:58:00Z', '2026-06-02T02:59:00Z', '2026-06-02T02:58'],
])('NO-03 the slot to decide: %s', (_, cron, first, now, expected) => {
  const slot = slotToDecide({ cron, timezone: 'UTC' }, new Date(first), new Date(now))
  expect(slot?.toISOString().slice(0, 16)).toBe(expected)
})

// biome-ignore format: the columns are the point
it.each([
  ['0 3 * * *',          'Europe/Berlin', undefined],
  ['@daily',             'UTC',           'schedule: A schedule has five fields, for example 0 3 * * *.'],
  ['61 3 * * *',         'UTC',           'schedule: This is not a cron expression. An example is 0 3 * * *.'],
  ['0 3 30 2 *',         'UTC',           'schedule: This schedule has no date that exists.'],
  ['0 3 * * *',          'Berlin',        'timezone: Berlin is not an IANA name, such as Europe/Berlin.'],
  ['0 3 * * *',          '+01:00',        'timezone: +01:00 is not an IANA name, such as Europe/Berlin.'],
])('NO-03 the schedule %s in %s', (cron, timezone, fault) => {
  expect(scheduleFault({ cron, timezone })).toBe(fault)
})
