import { z } from 'zod'

export const PERIODS = [
  { value: 'any', label: 'Any time' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
  { value: 'days', label: 'Chosen days' },
] as const

const DAY_MS = 86_400_000
const LENGTH_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS }

/** Filters in the address. A value that is not understood is left out, so that an old link still opens the page. */
function filter<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined)
}

/** The address of a view of Activity, which can be sent to a colleague. Functions are shown unless it says otherwise. */
export const ActivitySearch = z.object({
  type: filter(z.enum(['functions', 'data_sources'])),
  target: filter(z.string().min(1).max(200)),
  source: filter(z.enum(['mcp', 'cli', 'api'])),
  person: filter(z.string().min(1).max(100)),
  status: filter(z.enum(['answered', 'refused', 'failed', 'unknown'])),
  period: filter(z.enum(['day', 'week', 'month', 'days'])),
  from: filter(z.iso.date()),
  to: filter(z.iso.date()),
})
export type ActivitySearch = z.infer<typeof ActivitySearch>

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

function midnight(date: string, laterDays: number): string {
  const [year, month, day] = date.split('-').map(Number)
  return new Date(year!, month! - 1, day! + laterDays).toISOString()
}
