import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'

/** A look that comes this much later than planned means that the process or its machine was asleep. */
const LATE_MS = 60_000

/**
 * Remembers since when a loop of this process looks without a gap. After a gap (a start, a machine that slept, or a loop
 * that another process ran until it died) workers need time to connect again before they count as lost.
 */
export function createWatch() {
  let since: Date | undefined
  let plannedAt: Date | undefined
  return {
    /** Returns until when workers may take to connect again, which is past if there was no gap lately. */
    look: (now: Date): Date => {
      const isLate = plannedAt !== undefined && now.getTime() - plannedAt.getTime() > LATE_MS
      if (!since || isLate) since = now
      return new Date(since.getTime() + RESTART_GRACE_MS)
    },
    planned: (at: Date): void => {
      plannedAt = at
    },
  }
}

/** Returns the later one of an end and the time in so many milliseconds. */
export function latest(end: Date, now: Date, leftMs: number): Date {
  return new Date(Math.max(end.getTime(), now.getTime() + leftMs))
}
