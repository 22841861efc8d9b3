import { z } from 'zod'
import { LogLevel } from '#contract/apps/logs.ts'

const WINDOWS = ['1h', '24h', '7d', 'all'] as const
const HOURS: Record<(typeof WINDOWS)[number], number | null> = { '1h': 1, '24h': 24, '7d': 168, all: null }
const HOUR_MS = 3_600_000

/** The filters of the page, as its address has them. A filter that cannot be read is left out. */
export const LogSearch = z.object({
  text: z.string().min(1).max(200).optional().catch(undefined),
  level: LogLevel.optional().catch(undefined),
  deploy: z.string().max(100).optional().catch(undefined),
  within: z.enum(WINDOWS).optional().catch(undefined),
  since: z.iso.datetime({ offset: true }).optional().catch(undefined),
  until: z.iso.datetime({ offset: true }).optional().catch(undefined),
  live: z.literal(true).optional().catch(undefined),
})
export type LogSearch = z.infer<typeof LogSearch>

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

/** What the address has after another choice. `exact` begins with the window that was shown. */
export function chooseTime(search: LogSearch, choice: TimeChoice, now: Date): LogSearch {
  const { since: _since, until: _until, within: _within, ...rest } = search
  if (choice !== 'exact') return { ...rest, within: choice }
  const { since } = timesOf(search, now)
  return { ...rest, since: since ?? new Date(now.getTime() - HOUR_MS).toISOString() }
}
