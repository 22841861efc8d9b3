import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'

/** How long a process uses a login that it remembers. A move of a database to another server waits for longer. */
export const CACHED_LOGIN_MS = 5_000
const MAX_CACHED_LOGINS = 1_000

/**
 * Caches for a moment how readers log in: every question needs it, and it changes only when a database is dropped or moved. The
 * process that drops a database forgets all logins at once. In other processes the old login opens nothing, because the
 * database and its roles no longer exist.
 */
export function createLogins<Login>(clock: Clock) {
  const logins = createBoundedCache<string, Promise<Login>>({
    max: MAX_CACHED_LOGINS,
    ttl: { ms: CACHED_LOGIN_MS, clock },
  })
  return {
    of: (key: string, find: () => Promise<Login>): Promise<Login> => loadOnce(logins, key, find),
    forgetAll: (): void => logins.clear(),
  }
}
