import { createBoundedCache, loadOnce } from '#lib/bounded-cache.ts'
import type { Clock } from '#lib/clock.ts'

const CACHED_LOGIN_MS = 5_000
const MAX_CACHED_LOGINS = 1_000

/**
 * Caches for a moment how readers log in: every question needs it, and it changes only when a database is dropped. The
 * process that drops a database forgets all logins at once. In other processes the old login opens nothing, because the
 * database and its roles no longer exist.
 */
export function createLogins(clock: Clock) {
  const logins = createBoundedCache<string, Promise<string>>({
    max: MAX_CACHED_LOGINS,
    ttl: { ms: CACHED_LOGIN_MS, clock },
  })
  return {
    /** Returns the connection string of the key, or finds and caches it. */
    of: (key: string, find: () => Promise<string>): Promise<string> => loadOnce(logins, key, find),
    forgetAll: (): void => logins.clear(),
  }
}
