import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type Lease, lockLease, runIfLeased } from '#lib/work/lease.ts'
import type { Loop } from '#lib/work/loop.ts'
import { withoutDatabaseText } from '../search/database-errors.ts'
import { entriesOf } from '../search/entry.ts'
import type { OpenReader } from '../search/reader.ts'
import type { RowModels } from './embed-rows.ts'
import { lookAtSource } from './look-at-source.ts'
import { LookStopped } from './look-stopped.ts'
import { nextNight } from './night.ts'
import { type DueWatch, findDueWatches, findUnplanned, plan, saveNight } from './store.ts'

type WatchDeps = RowModels & {
  db: Db
  clock: Clock
  openReader: OpenReader
  /** Whether the engine of a managed database runs, and whether somebody uses it now. Starts none. */
  activityOf: (orgId: string, databaseName: string) => Promise<'stopped' | 'busy' | 'idle'>
  onError: (error: unknown, due: Pick<DueWatch, 'source_id'>) => void
  random?: () => number
}

const POLL_MS = 60_000
/** A source that is in use waits. */
const BUSY_MS = 10 * 60_000
/** A stopped engine is not started. One that a question starts runs for five minutes after it. */
const STOPPED_MS = 4 * 60_000
const PER_TURN = 20

/**
 * Looks at the vectors of each source once a night, as the reader of the source. It counts as no question, is not
 * recorded in Activity, and starts no stopped engine. A lease for each source keeps two processes from the same one.
 */
export function watchLoop(deps: WatchDeps): Loop {
  const { db } = deps
  return {
    name: 'vector-watch',
    tick: async (now, signal) => {
      for (const id of await findUnplanned(db, PER_TURN)) await plan(db, id, nextNight(id, now))
      for (const due of await findDueWatches(db, now, PER_TURN)) {
        if (signal.aborted) break
        await runIfLeased(db, `watch:${due.source_id}`, (lease, lost) =>
          look(deps, due, lease, AbortSignal.any([signal, lost])),
        )
      }
      return new Date(now.getTime() + POLL_MS)
    },
  }
}

async function look(deps: WatchDeps, due: DueWatch, lease: Lease, signal: AbortSignal): Promise<void> {
  const { db, clock, onError } = deps
  const { source_id } = due
  const permit = async () => {
    if (signal.aborted) throw new LookStopped('aborted')
    const activity = await deps.activityOf(due.org_id, due.database_name)
    if (activity !== 'idle') throw new LookStopped(activity)
  }
  try {
    await permit()
    const reader = await deps.openReader(due.org_id, due.database_name)
    const entries = entriesOf(due.search)
    const watched = await lookAtSource({ ...deps, reader, permit, signal }, due, entries)
    await db.tx(async (tx) => {
      if (await lockLease(tx, lease)) await saveNight(tx, source_id, watched, nextNight(source_id, clock.now()))
    })
  } catch (error) {
    if (!(error instanceof LookStopped)) onError(withoutDatabaseText(error), due)
    const until = retryAt(error, source_id, clock.now())
    if (until) await plan(db, source_id, until)
  }
}

/** After an error the next night has its turn. Undefined: the process stops, and another one goes on. */
function retryAt(error: unknown, sourceId: string, now: Date): Date | undefined {
  if (!(error instanceof LookStopped)) return nextNight(sourceId, now)
  if (error.reason === 'aborted') return undefined
  return new Date(now.getTime() + (error.reason === 'busy' ? BUSY_MS : STOPPED_MS))
}
