import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import { type Clock, systemClock } from '#lib/time/clock.ts'

export type Absence = 'starting' | 'not_running' | 'unknown'
export type AbsentApps = ReturnType<typeof createAbsentApps>

const REMEMBERED_MS = 1_000
const MAX_APPS = 1_000

/**
 * Remembers for a second why a request to an app went nowhere, so that many such requests cost one query. What changes
 * here makes it forget at once; a change in another process does when its notification arrives.
 */
export function createAbsentApps(clock: Clock = systemClock) {
  const ttl = { ms: REMEMBERED_MS, clock }
  const absences = createBoundedCache<string, Promise<Absence | undefined>>({ max: MAX_APPS, ttl })
  return {
    /** Returns undefined, and remembers nothing, for an app that is found. */
    find: (label: string, look: () => Promise<Absence | undefined>): Promise<Absence | undefined> =>
      loadOnce(absences, label, look, (absence) => absence !== undefined),
    forget: (): void => absences.clear(),
  }
}
