import type { DeployState } from '#contract/apps/deploys.ts'

/** A deploy that its process could not finish is begun again until it was begun this often. */
const MAX_ATTEMPTS = 2

/** An app that ends this often in the time after its deploy went live is in a crash loop. */
const CRASHES_OF_A_LOOP = 3
const CRASH_LOOP_MS = 10 * 60_000

/** Whether nothing more happens to the deploy by itself. A live one can still crash. */
export function hasSettled(state: DeployState): boolean {
  return state === 'live' || state === 'retired' || state === 'failed' || state === 'superseded'
}

/** Decides what becomes of a deploy that was under way when its process died. */
export function afterInterruption(attempt: number, isNewerQueued: boolean): 'queued' | 'superseded' | 'failed' {
  if (isNewerQueued) return 'superseded'
  return attempt < MAX_ATTEMPTS ? 'queued' : 'failed'
}

/** Whether an app that ended at these times since it went live is in a crash loop, so that its former revision returns. */
export function isCrashLoop(liveAt: Date, endedAt: readonly Date[]): boolean {
  const soonAfter = endedAt.filter((end) => end.getTime() - liveAt.getTime() <= CRASH_LOOP_MS)
  return soonAfter.length >= CRASHES_OF_A_LOOP
}

const FIRST_RESTART_MS = 1_000
const MAX_RESTART_MS = 60_000
/** An app that ran this long starts again without delay: its next end is a new fault. */
const STEADY_MS = 5 * 60_000

/** How long to wait before an app is started again, after that many short runs in a row. */
export function restartDelayMs(shortRuns: number): number {
  if (shortRuns === 0) return 0
  return Math.min(FIRST_RESTART_MS * 2 ** (shortRuns - 1), MAX_RESTART_MS)
}

export function isShortRun(startedAt: Date, endedAt: Date): boolean {
  return endedAt.getTime() - startedAt.getTime() < STEADY_MS
}

/** Consecutive healthy answers before a deploy takes the traffic: one answer can come from an app that is about to die. */
const HEALTHY_PROBES = 3

/** Adds a probe to the number of healthy ones in a row, and says whether they are enough. */
export function countProbe(healthyInRow: number, isHealthy: boolean): { healthyInRow: number; isReady: boolean } {
  const now = isHealthy ? healthyInRow + 1 : 0
  return { healthyInRow: now, isReady: now >= HEALTHY_PROBES }
}
