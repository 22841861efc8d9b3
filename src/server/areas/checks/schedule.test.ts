import { describe, expect, it } from 'vitest'
import { firstSlot, nextSlot } from './schedule.ts'

const at = (text: string) => new Date(`${text}Z`)
const EVERY_5 = { every_minutes: 5 }
const MORNING = { cron: '0 9 * * *', timezone: 'Europe/Berlin' }

describe('the schedule of a check', () => {
  it('with an interval begins at once and goes on in steps from there', () => {
    const created = at('2026-03-01T10:00:20')
    expect(firstSlot(EVERY_5, created)).toEqual(created)
    expect(nextSlot(EVERY_5, created, at('2026-03-01T10:00:21'))).toEqual(at('2026-03-01T10:05:20'))
  })

  it('leaves out the slots that passed while nothing ran', () => {
    expect(nextSlot(EVERY_5, at('2026-03-01T10:00:00'), at('2026-03-01T12:34:00'))).toEqual(at('2026-03-01T12:35:00'))
    expect(nextSlot(MORNING, at('2026-03-01T08:00:00'), at('2026-03-09T12:00:00'))).toEqual(at('2026-03-10T08:00:00'))
  })

  it('gives the next slot also to a worker whose clock is behind', () => {
    expect(nextSlot(EVERY_5, at('2026-03-01T10:00:00'), at('2026-03-01T09:00:00'))).toEqual(at('2026-03-01T10:05:00'))
    expect(nextSlot(MORNING, at('2026-03-01T08:00:00'), at('2026-03-01T07:59:00'))).toEqual(at('2026-03-02T08:00:00'))
  })

  it('keeps the hour of its timezone when the clocks change', () => {
    const slots = [at('2026-03-27T12:00:00')]
    for (let n = 0; n < 3; n++) slots.push(nextSlot(MORNING, slots.at(-1)!, slots.at(-1)!)!)
    expect(slots.slice(1)).toEqual([at('2026-03-28T08:00:00'), at('2026-03-29T07:00:00'), at('2026-03-30T07:00:00')])
  })

  it.each([
    [{ cron: 'every day', timezone: 'UTC' }, 'schedule.cron: A schedule has five fields'],
    [{ cron: '* * * * * *', timezone: 'UTC' }, 'schedule.cron: A schedule has five fields'],
    [{ cron: '0 25 * * *', timezone: 'UTC' }, 'schedule.cron: This is not a cron expression.'],
    [{ cron: '0 0 31 2 *', timezone: 'UTC' }, 'schedule.cron: This schedule has no date that exists.'],
    [{ cron: '0 9 * * *', timezone: 'Berlin' }, 'schedule.timezone: Berlin is not a timezone'],
    [{ cron: '0 9 * * *', timezone: '+01:00' }, 'schedule.timezone: +01:00 is not a timezone'],
  ])('refuses %j', (schedule, message) => {
    expect(() => firstSlot(schedule, at('2026-03-01T10:00:00'))).toThrow(message)
  })
})
