import { latestTime, nextTime } from './cron.ts'

/** Returns the calendar day (`2026-03-29`) at this moment in an IANA timezone. Throws RangeError for an unknown one. */
export function dayIn(timezone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now)
  const part = (type: string) => parts.find((one) => one.type === type)!.value
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** A day for which something is limited. `endsAt` is null where an older release, which did not store it, began the day. */
export type LimitDay = { readonly day: string; readonly endsAt: Date | null }

/**
 * Returns the day that a limit counts for at this moment, given the last day that anything was counted for. A new day
 * begins at a midnight of the timezone, and only after the former day has ended where it began and with a later date. So
 * a change of the timezone can make a day longer, but never begins one: two days never begin within less than a day.
 */
export function limitDay(former: LimitDay | undefined, timezone: string, now: Date): LimitDay {
  if (former?.endsAt && now < former.endsAt) return former
  const day = dayIn(timezone, now)
  const midnights = { cron: '0 0 * * *', timezone }
  const endsAt = nextTime(midnights, now)!
  if (!former) return { day, endsAt }
  const isOver = former.endsAt === null || latestTime(midnights, now)! >= former.endsAt
  return isOver && day > former.day ? { day, endsAt } : { ...former, endsAt: former.endsAt ?? endsAt }
}
