import { randomUUID } from 'node:crypto'
import { ServiceError } from '#contract/errors.ts'
import { releaseLease, takeLease } from '#lib/lease.ts'
import type { Loop } from '#lib/loop.ts'
import type { DatabaseDeps } from './deps.ts'
import {
  type DatabaseRow,
  type DatabaseState,
  deleteDatabase,
  findDatabase,
  findUnfinished,
  moveDatabase,
} from './store.ts'

type Deps = Pick<DatabaseDeps, 'db' | 'clock' | 'engine' | 'pools'>

const LEASE_SECONDS = 120
const EVERY_MS = 60_000
const UNMADE: readonly DatabaseState[] = ['creating', 'failed']

export function taken(name: string): ServiceError {
  return new ServiceError('CONFLICT', `there is a database ${name} already`)
}

/** Runs `work` unless somebody else is at this database; whoever dies at it is followed when the lease runs out. */
export async function alone<T>({ db, clock }: Deps, row: DatabaseRow, work: () => Promise<T>): Promise<T> {
  const ask = { name: `database:${row.id}`, holder: randomUUID(), seconds: LEASE_SECONDS, now: clock.now() }
  const lease = await takeLease(db, ask)
  if (!lease) throw new ServiceError('CONFLICT', `the database ${row.name} is being worked on`)
  try {
    return await work()
  } finally {
    await releaseLease(db, lease)
  }
}

export async function finishCreating(deps: Deps, row: DatabaseRow): Promise<void> {
  await alone(deps, row, async () => {
    // Looked at again: whoever was at it before us may have finished it, or dropped it.
    const now = await findDatabase(deps.db, row.org_id, row.name)
    if (now?.id !== row.id || !UNMADE.includes(now.state)) throw taken(row.name)
    await deps.engine.create(row)
    if (!(await moveDatabase(deps.db, row.id, UNMADE, 'ready'))) throw taken(row.name)
  })
}

export async function finishDropping(deps: Deps, row: DatabaseRow): Promise<void> {
  await alone(deps, row, async () => {
    await deps.pools.forget(row.physical_name)
    await deps.engine.drop(row)
    await deleteDatabase(deps.db, row.id)
  })
}

/** What a crash left half made or half dropped. */
export function unfinishedLoop(deps: Deps, onError: (error: unknown, row: DatabaseRow) => void): Loop {
  return {
    name: 'databases-unfinished',
    leader: true,
    async tick(now, signal) {
      for (const row of await findUnfinished(deps.db)) {
        if (signal.aborted) break
        const finish = row.state === 'creating' ? finishCreating : finishDropping
        await finish(deps, row).catch((error: unknown) => {
          if (!(error instanceof ServiceError && error.code === 'CONFLICT')) onError(error, row)
        })
      }
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}
