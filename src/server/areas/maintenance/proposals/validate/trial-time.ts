import type { TrialTime } from '#ports/app-trials.ts'

/** Long enough for the build and the tests of one trial at their limits, and for half as much again. */
const MAX_MINUTES = 15

/** Returns the time of the trials of one change. */
export function createTrialTime(): TrialTime {
  let leftMs = MAX_MINUTES * 60_000
  return {
    minutes: MAX_MINUTES,
    leftMs: () => leftMs,
    spend: (ms) => {
      leftMs -= ms
    },
  }
}
