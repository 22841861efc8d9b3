import type { Clock } from '#lib/clock.ts'

const CACHED_LOGIN_MS = 5_000
const MAX_CACHED_LOGINS = 1_000

type CachedLogin = { physicalName: string; connectionString: string; until: number }

/**
 * Caches for a moment how readers log in: every question needs it, and it changes only when a database is dropped. The
 * process that drops a database forgets its login at once. In other processes the old login opens nothing, because the
 * database and its roles no longer exist.
 */
export function createLogins(clock: Clock) {
  const logins = new Map<string, CachedLogin>()
  let drops = 0
  return {
    async of(key: string, find: () => Promise<Omit<CachedLogin, 'until'>>): Promise<string> {
      const now = clock.now().getTime()
      const cached = logins.get(key)
      if (cached && cached.until > now) return cached.connectionString
      const dropsBefore = drops
      const found = await find()
      if (logins.size >= MAX_CACHED_LOGINS) logins.clear()
      // The database may have been dropped right after it was found.
      if (dropsBefore === drops) logins.set(key, { ...found, until: now + CACHED_LOGIN_MS })
      return found.connectionString
    },
    forget(physicalName: string): void {
      drops++
      for (const [key, login] of logins) if (login.physicalName === physicalName) logins.delete(key)
    },
  }
}
