import type { Clock } from '#lib/clock.ts'

const KEPT_MS = 5_000
const KEPT = 1_000

type Kept = { physicalName: string; connectionString: string; until: number }

/**
 * How readers log in, kept for a moment: every question needs it, and it changes only when a database is dropped. That
 * is forgotten at once here; elsewhere the old login opens nothing, since the database and the role are gone.
 */
export function createLogins(clock: Clock) {
  const kept = new Map<string, Kept>()
  let forgotten = 0
  return {
    async of(key: string, find: () => Promise<Omit<Kept, 'until'>>): Promise<string> {
      const now = clock.now().getTime()
      const known = kept.get(key)
      if (known && known.until > now) return known.connectionString
      const before = forgotten
      const found = await find()
      if (kept.size >= KEPT) kept.clear()
      // It may have been found just before it was dropped.
      if (before === forgotten) kept.set(key, { ...found, until: now + KEPT_MS })
      return found.connectionString
    },
    forget(physicalName: string): void {
      forgotten++
      for (const [key, login] of kept) if (login.physicalName === physicalName) kept.delete(key)
    },
  }
}
