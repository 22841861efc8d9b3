const HOUR_MS = 60 * 60_000

/**
 * Returns the time that a sender gave a line, or the time now where that cannot be: a clock that is ahead would keep the
 * line from ever becoming old.
 */
export function timeOfLine(given: Date, now: Date): Date {
  const ms = given.getTime()
  return ms >= 0 && ms <= now.getTime() + HOUR_MS ? given : now
}
