import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { type LeaseGuard, withLease } from '#lib/work/lease.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { DatabaseDeps } from './deps.ts'
import {
  type DatabaseRow,
  type DatabaseState,
  deleteDatabase,
  findDatabase,
  findReady,
  findUnfinished,
  moveDatabase,
} from './store.ts'

type Deps = Pick<DatabaseDeps, 'db' | 'clock' | 'engine' | 'pools'>

const EVERY_MS = 60_000
const SECURE_EVERY_MS = 60 * 60_000
const UNMADE: readonly DatabaseState[] = ['creating', 'failed']

export function taken(name: string): ServiceError {
  return new ServiceError('CONFLICT', `A database named ${name} already exists.`)
}

/** Runs `run` unless another process is at work on this database. */
export async function alone<T>({ db }: Deps, row: DatabaseRow, run: (lease: LeaseGuard) => Promise<T>): Promise<T> {
  const refuse = (retryAfterSeconds: number) =>
    new ServiceError(
      'CONFLICT',
      `Another request is working on the database ${row.name}. Try again in ${secondsText(retryAfterSeconds)}.`,
      {
        retryAfterSeconds,
      },
    )
  return withLease(db, { name: `database:${row.id}`, refuse, run })
}

export async function finishCreating(deps: Deps, row: DatabaseRow): Promise<void> {
  await alone(deps, row, async ({ confirm }) => {
    // The process that held the lease before may have finished or dropped it.
    const now = await findDatabase(deps.db, row.org_id, row.name)
    if (now?.id !== row.id || !UNMADE.includes(now.state)) throw taken(row.name)
    await deps.engine.create(row)
    await confirm()
    if (!(await moveDatabase(deps.db, row.id, UNMADE, 'ready'))) throw taken(row.name)
  })
}

export async function finishDropping(deps: Deps, row: DatabaseRow): Promise<void> {
  await alone(deps, row, async ({ confirm }) => {
    // Questions that still run are waited for; nobody else logs in meanwhile.
    await deps.engine.endLogins?.(row)
    await deps.pools.forget(row.physical_name)
    await deps.engine.drop(row)
    await confirm()
    await deleteDatabase(deps.db, row.id)
  })
}

/** What a crash left half made or half dropped. */
export function unfinishedLoop(deps: Deps, onError: (error: unknown, row: DatabaseRow) => void): Loop {
  return {
    name: 'databases-unfinished',
    leader: true,
    async tick(now, signal) {
      let waitMs = EVERY_MS
      for (const row of await findUnfinished(deps.db)) {
        if (signal.aborted) break
        const finish = row.state === 'creating' ? finishCreating : finishDropping
        await finish(deps, row).catch((error: unknown) => {
          if (!(error instanceof ServiceError && error.code === 'CONFLICT')) return onError(error, row)
          waitMs = Math.min(waitMs, (error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000)
        })
      }
      return new Date(now.getTime() + waitMs)
    },
  }
}

/** Gives databases that older code made the limits of today, also those that nobody asks a question of. */
export function secureLoop(
  { db }: Pick<Deps, 'db'>,
  secure: (row: DatabaseRow) => Promise<void>,
  onError: (error: unknown, row: DatabaseRow) => void,
): Loop {
  return {
    name: 'databases-secure',
    leader: true,
    async tick(now, signal) {
      for (const row of await findReady(db)) {
        if (signal.aborted) break
        await secure(row).catch((error: unknown) => onError(error, row))
      }
      return new Date(now.getTime() + SECURE_EVERY_MS)
    },
  }
}
