import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { targetOf } from '../measure/index-state.ts'
import { findMeasurements } from '../measure/store.ts'
import { withoutDatabaseText } from '../search/database-errors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Reader } from '../search/reader.ts'
import { BUDGET } from './budget.ts'
import type { RowModels } from './embed-rows.ts'
import { lookAtEntry } from './look-at-entry.ts'
import { LookStopped } from './look-stopped.ts'
import type { DueWatch } from './store.ts'
import { type WatchedEntry, watchedOf } from './stored-entry.ts'

type SourceDeps = RowModels & {
  db: Querier
  clock: Clock
  reader: Reader
  permit: () => Promise<void>
  signal: AbortSignal
  onError: (error: unknown, due: Pick<DueWatch, 'source_id'>) => void
  random?: () => number
}

/**
 * Looks at the entries of a source, those first that waited longest, until the time of a source is spent. Returns the
 * state of every entry that is configured now.
 */
export async function lookAtSource(
  deps: SourceDeps,
  due: DueWatch,
  entries: readonly ResolvedEntry[],
): Promise<Record<string, WatchedEntry>> {
  const measurements = await findMeasurements(deps.db, due.source_id)
  const watched = Object.fromEntries(entries.map((entry) => [entry.label, watchedOf(due.entries, entry)]))
  const waitedLongest = entries.toSorted((a, b) =>
    (watched[a.label]!.looked_at ?? '').localeCompare(watched[b.label]!.looked_at ?? ''),
  )
  const started = performance.now()
  for (const entry of waitedLongest) {
    if (performance.now() - started > BUDGET.sourceMs) break
    const before = watched[entry.label]!
    const { measured } = measurements.find(({ target }) => target === targetOf(entry)) ?? {}
    const { random = Math.random, clock, reader, ...rest } = deps
    const looking = { ...rest, random, db: reader, org_id: due.org_id, entry, before, now: clock.now() }
    watched[entry.label] = await lookAtEntry({ ...looking, measured: measured ?? undefined }).catch(
      (error: unknown) => {
        if (error instanceof LookStopped) throw error
        deps.onError(withoutDatabaseText(error), due)
        return { ...before, reason: reasonOf(error) }
      },
    )
  }
  return watched
}

/** Postgres ended the statement because it took too long. */
const QUERY_CANCELED = '57014'

/** An error is no reason to try again at once: the next night does. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === QUERY_CANCELED) return 'the last look was given up, because a statement took longer than 10 seconds'
  if (/^(?:42|3F)/.test(code)) return 'the table changed after the configuration was saved: save it again'
  return 'the last look failed, because the database did not answer it'
}
