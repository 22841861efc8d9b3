import type { LogSearch } from './read-log-search.ts'

const HOURS: Record<NonNullable<LogSearch['within']>, number | null> = { '1h': 1, '24h': 24, '7d': 168, all: null }
const HOUR_MS = 3_600_000

export const TIMES = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: 'all', label: 'All' },
  { value: 'exact', label: 'From … to …' },
] as const
type TimeChoice = (typeof TIMES)[number]['value']

/** Which of the choices the address has. An exact time wins over a window. */
export function timeChoiceOf({ since, until, within }: LogSearch): TimeChoice {
  return since !== undefined || until !== undefined ? 'exact' : (within ?? '24h')
}

/** The time that is searched. Windows end now. */
export function timesOf(search: LogSearch, now: Date): { since?: string; until?: string } {
  const choice = timeChoiceOf(search)
  if (choice === 'exact') {
    const { since, until } = search
    return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
  }
  const hours = HOURS[choice]
  return hours === null ? {} : { since: new Date(now.getTime() - hours * HOUR_MS).toISOString() }
}

/** Returns the search parameters after another window of time was chosen. `exact` begins with the one shown before. */
export function chooseTime(search: LogSearch, choice: TimeChoice, now: Date): LogSearch {
  const { since: _since, until: _until, within: _within, ...rest } = search
  if (choice !== 'exact') return { ...rest, within: choice }
  const { since } = timesOf(search, now)
  return { ...rest, since: since ?? new Date(now.getTime() - HOUR_MS).toISOString() }
}
