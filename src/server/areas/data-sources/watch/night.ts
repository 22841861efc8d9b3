import { hash } from 'node:crypto'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Looks are spread over these hours, so that sources of one server do not wait for each other. */
const FIRST_HOUR = 1
const HOURS = 4

/** The next night after `now` (UTC), at a time of night that is always the same for a source. */
export function nextNight(sourceId: string, now: Date): Date {
  const spread = (Number.parseInt(hash('sha256', sourceId).slice(0, 8), 16) / 2 ** 32) * HOURS * HOUR_MS
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + FIRST_HOUR * HOUR_MS + Math.floor(spread)
  return new Date(today > now.getTime() ? today : today + DAY_MS)
}
