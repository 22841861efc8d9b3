import type { RangeSearch } from './read-range-search.ts'

/** Buckets do not begin between these times, so that a page that reads again asks for the same time. */
const STEP_MS = 5 * 60_000
const HOUR_MS = 3_600_000

export const RANGES = [
  { value: '1h', label: 'Last hour', words: 'in the last hour', ms: HOUR_MS },
  { value: '24h', label: 'Last 24 hours', words: 'in the last 24 hours', ms: undefined },
  { value: '14d', label: 'Last 14 days', words: 'in the last 14 days', ms: 14 * 24 * HOUR_MS },
] as const

export function rangeOf({ within }: RangeSearch): (typeof RANGES)[number] {
  return RANGES.find(({ value }) => value === within) ?? RANGES[1]
}

/** Returns when the time of a search begins. Without a beginning the server answers the last day. */
export function beginOf(search: RangeSearch, nowMs: number): { from?: string } {
  const { ms } = rangeOf(search)
  return ms === undefined ? {} : { from: new Date(Math.ceil(nowMs / STEP_MS) * STEP_MS - ms).toISOString() }
}
