import type { Check } from '#contract/checks/checks.ts'
import type { CheckSchedule } from '#contract/checks/definition.ts'

export function stateText({ state, enabled, consecutive_fails, threshold }: Check): string {
  const text = state === 'failing' ? `failing (${consecutive_fails} of ${threshold})` : state
  return enabled ? text : `paused (${text})`
}

export function scheduleText(schedule: CheckSchedule): string {
  if ('cron' in schedule) return `${schedule.cron} ${schedule.timezone}`
  return schedule.every_minutes === 1 ? 'every minute' : `every ${schedule.every_minutes} minutes`
}
