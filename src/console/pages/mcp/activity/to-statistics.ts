import { toInput } from './activity-search.ts'
import type { ActivitySearch } from './read-activity-search.ts'

const DAY_MS = 86_400_000
/** Longest time for which the service counts by day. */
const MAX_DAYS = 92

const TIME_TEXT = { day: 'in the last 24 hours', week: 'in the last 7 days', month: 'in the last 30 days' } as const

/**
 * Returns the input of the statistics for a view, and a text for its time. Without a chosen time it is 30 days. Returns
 * undefined if the chosen days end before they begin.
 */
export function toStatistics(search: ActivitySearch, now: Date) {
  const { period = 'month' } = search
  const { source_id, from, to, ...filters } = toInput({ ...search, period }, now)
  const target = source_id === undefined ? {} : { target: source_id }
  if (period !== 'days')
    return {
      input: { ...filters, ...target, from, bucket: period === 'day' ? 'hour' : 'day' } as const,
      timeText: TIME_TEXT[period],
    }
  const end = to === undefined ? now : new Date(to)
  const earliest = new Date(end.getTime() - MAX_DAYS * DAY_MS)
  if (from !== undefined && new Date(from) >= end) return undefined
  const isCut = from === undefined || new Date(from) < earliest
  return {
    input: {
      ...filters,
      ...target,
      from: isCut ? earliest.toISOString() : from,
      to: end.toISOString(),
      bucket: 'day',
    } as const,
    timeText: isCut ? `in the last ${MAX_DAYS} of these days` : 'on these days',
  }
}
