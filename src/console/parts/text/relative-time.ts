const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const WEEK_SECONDS = 7 * 86_400

// To make a formatter takes longer than to draw a row of a table.
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `5 minutes ago`; times that are more than a week away are a date. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  if (Math.abs(seconds) >= WEEK_SECONDS) return (at.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(at)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [undefined, 1]
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now'
  return RELATIVE.format(Math.trunc(seconds / size), unit)
}

/** The time in the zone of the reader, and in UTC. */
export function exactTime(at: Date): string {
  return `${EXACT.format(at)} · ${at.toISOString().replace('T', ' ').slice(0, 19)} UTC`
}
