import type { CheckSchedule } from '#contract/checks/definition.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { cronFault, nextTime } from '#lib/time/cron.ts'
import { isTimezone } from '#lib/time/timezone.ts'

const MINUTE_MS = 60_000

/**
 * Returns the first slot of a schedule: now for an interval, so that a new check has a result soon, and the next of its
 * times for a cron expression. Throws INVALID_REQUEST for an expression that cannot be read or never comes true.
 */
export function firstSlot(schedule: CheckSchedule, now: Date): Date {
  if ('every_minutes' in schedule) return now
  const { cron, timezone } = schedule
  if (!isTimezone(timezone)) {
    throw new ServiceError('INVALID_REQUEST', `schedule.timezone: ${timezone} is not a timezone such as Europe/Berlin`)
  }
  const fault = cronFault(cron)
  if (fault !== undefined) throw new ServiceError('INVALID_REQUEST', `schedule.cron: ${fault}`)
  return nextTime(schedule, now)!
}

/**
 * Returns the slot after `slot`. Slots that passed while nothing ran are left out: a check that was due ten times says no
 * more than one that was due once. Returns undefined if a cron expression has no more times.
 */
export function nextSlot(schedule: CheckSchedule, slot: Date, now: Date): Date | undefined {
  if ('cron' in schedule) {
    const from = Math.max(slot.getTime(), now.getTime())
    return nextTime(schedule, new Date(from))
  }
  const interval = schedule.every_minutes * MINUTE_MS
  const passed = Math.max(Math.floor((now.getTime() - slot.getTime()) / interval), 0)
  return new Date(slot.getTime() + (passed + 1) * interval)
}
