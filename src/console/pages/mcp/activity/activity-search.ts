import type { ActivitySearch } from './read-activity-search.ts'

export const PERIODS = [
  { value: 'any', label: 'Any time' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
  { value: 'days', label: 'Chosen days' },
] as const

const DAY_MS = 86_400_000
const LENGTH_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS }

/** The input of the list for a view. Chosen days begin and end at midnight in the zone of the reader. */
export function toInput({ type, target, source, person, status, ...time }: ActivitySearch, now: Date) {
  return {
    type: type ?? 'functions',
    ...(target !== undefined && { source_id: target }),
    ...(source !== undefined && { source }),
    ...(person !== undefined && { user_id: person }),
    ...(status !== undefined && { outcome: status }),
    ...toTimes(time, now),
  } as const
}

function toTimes({ period, from, to }: Pick<ActivitySearch, 'period' | 'from' | 'to'>, now: Date) {
  if (period === undefined) return {}
  if (period !== 'days') return { from: new Date(now.getTime() - LENGTH_MS[period]).toISOString() }
  return {
    ...(from !== undefined && { from: midnight(from, 0) }),
    ...(to !== undefined && { to: midnight(to, 1) }),
  }
}

/** Returns the beginning of a day, or of one so many days later, in the zone of the reader. */
export function midnight(date: string, laterDays: number): string {
  const [year, month, day] = date.split('-').map(Number)
  return new Date(year!, month! - 1, day! + laterDays).toISOString()
}
