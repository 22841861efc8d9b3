/** Failures in a row after which a destination is left alone for a while. */
const FAILURES_BEFORE_PAUSE = 5
const FIRST_PAUSE_SECONDS = 30
const MAX_PAUSE_SECONDS = 15 * 60

/**
 * Returns for how many seconds nothing is sent to a destination that failed so often in a row. After the pause one
 * attempt decides whether the next pause is twice as long.
 */
export function pauseSeconds(failuresInARow: number): number {
  if (failuresInARow < FAILURES_BEFORE_PAUSE) return 0
  return Math.min(FIRST_PAUSE_SECONDS * 2 ** (failuresInARow - FAILURES_BEFORE_PAUSE), MAX_PAUSE_SECONDS)
}
