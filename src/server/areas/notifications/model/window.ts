import { Cron } from 'croner'

export type DigestTiming = 'hourly' | 'daily'

/**
 * Returns the end of the digest window that contains `at`: the first instant after it that is a full hour, or 09:00, in
 * the organization's timezone. The result is an instant, so an hour that the clocks repeat has two windows.
 */
export function windowEnd(timing: DigestTiming, timezone: string, at: Date): Date {
  return timing === 'hourly' ? nextFullHour(timezone, at) : nextMorning(timezone, at)
}

function nextMorning(timezone: string, at: Date): Date {
  const next = new Cron('0 0 9 * * *', { timezone }).nextRun(at)
  if (!next) throw new Error(`no 09:00 after ${at.toISOString()} in ${timezone}`)
  return next
}

const MINUTE_MS = 60_000

/** Not by croner: it leaves out the hour that the clocks repeat. */
function nextFullHour(timezone: string, at: Date): Date {
  const minuteOf = minuteReader(timezone)
  const thisMinute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS
  let end = thisMinute + (60 - minuteOf(thisMinute)) * MINUTE_MS
  // A change of offset by half an hour moves the full hour.
  while (minuteOf(end) !== 0) end += (60 - minuteOf(end)) * MINUTE_MS
  return new Date(end)
}

function minuteReader(timezone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, minute: 'numeric' })
  return (ms) => Number(format.format(ms))
}
