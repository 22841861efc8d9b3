import type { Clock } from '#lib/clock.ts'
import type { ResolvedEntry } from './entry.ts'
import { findVectorIndexes, withIndexes } from './plan.ts'
import type { Reader } from './reader.ts'
import { type Question, searchSettings } from './statements.ts'

const KEPT_MS = 60_000

type Look = { at: number; entry: Promise<ResolvedEntry> }
export type CurrentIndexes = ReturnType<typeof createCurrentIndexes>

/**
 * Entries with the indexes that their tables have now. An index may be made, replaced or dropped after a configuration
 * was saved, so the catalogue is read again for the first question of each minute; other questions cost nothing.
 */
export function createCurrentIndexes(clock: Clock) {
  const looks = new WeakMap<ResolvedEntry, Look>()
  const look = async (db: Reader, { entry, filters }: Asked, before: Promise<ResolvedEntry> | undefined) => {
    const last = (await before?.catch(() => undefined)) ?? entry
    // With the settings of the last question: other ones would have to be sent to the connection, and back again.
    const indexes = await db.reads((on) => findVectorIndexes(on, entry), searchSettings({ entry: last, filters }))
    return withIndexes(last, indexes)
  }
  return {
    /** The same object for as long as the indexes are the same, because prepared statements are kept for it. */
    of(db: Reader, asked: Asked): Promise<ResolvedEntry> {
      const known = looks.get(asked.entry)
      const age = known && clock.now().getTime() - known.at
      if (known && age! >= 0 && age! < KEPT_MS) return known.entry
      const next = { at: clock.now().getTime(), entry: look(db, asked, known?.entry) }
      looks.set(asked.entry, next)
      next.entry.catch(() => {
        if (looks.get(asked.entry) === next) looks.delete(asked.entry)
      })
      return next.entry
    },
    /** To be called when the database turned out to have changed: the next question reads the catalogue again. */
    forget(entry: ResolvedEntry): void {
      looks.delete(entry)
    },
  }
}

type Asked = Pick<Question, 'entry' | 'filters'>
