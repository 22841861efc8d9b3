import type { Clock } from '#lib/time/clock.ts'
import type { FindMeasured, Measurements } from './choice.ts'
import type { ResolvedEntry } from './entry.ts'
import { findVectorIndexes } from './indexes.ts'
import { withIndexes } from './plan.ts'
import type { Reader } from './reader.ts'
import { searchSettings } from './settings.ts'
import type { EntryQuery } from './statements.ts'

const TTL_MS = 60_000

/** An entry with the indexes of its table now, and what the scores of the table mean. */
type CurrentEntry = Pick<Measurements, 'calibration'> & { readonly entry: ResolvedEntry }

type Reading = { readonly at: number; readonly current: Promise<CurrentEntry> }
type Search = Pick<EntryQuery, 'entry' | 'filters'> & { readonly sourceId: string }
export type CurrentIndexes = ReturnType<typeof createCurrentIndexes>

/**
 * Gives entries the indexes that their tables have now, and what was measured of them. An index may be made, replaced
 * or dropped after a configuration was saved, so the catalogue is read again for the first question of each minute; other
 * questions cost nothing.
 */
export function createCurrentIndexes(clock: Clock, findMeasured: FindMeasured) {
  const readings = new WeakMap<ResolvedEntry, Reading>()
  const read = async (db: Reader, { entry, filters, sourceId }: Search, before: Promise<CurrentEntry> | undefined) => {
    const last = (await before?.catch(() => undefined))?.entry ?? entry
    // With the settings of the last question: other ones would have to be sent to the connection, and back again.
    const indexes = await db.reads((on) => findVectorIndexes(on, entry), searchSettings({ entry: last, filters }))
    const { choice, calibration } = await findMeasured(sourceId, entry, indexes)
    return { entry: withIndexes(last, indexes, choice), calibration }
  }
  return {
    /** Returns the same entry for as long as the indexes are the same, because statements are cached for it. */
    of(db: Reader, search: Search): Promise<CurrentEntry> {
      const reading = readings.get(search.entry)
      const now = clock.now().getTime()
      if (reading && now >= reading.at && now < reading.at + TTL_MS) return reading.current
      const next = { at: now, current: read(db, search, reading?.current) }
      readings.set(search.entry, next)
      next.current.catch(() => {
        if (readings.get(search.entry) === next) readings.delete(search.entry)
      })
      return next.current
    },
    /** Makes the next question read the catalogue again. Call it when the database turned out to have changed. */
    forget(entry: ResolvedEntry): void {
      readings.delete(entry)
    },
  }
}
