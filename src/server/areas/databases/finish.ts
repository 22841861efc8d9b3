import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { type LeaseGuard, withLease } from '#lib/work/lease.ts'
import type { DatabaseDeps } from './deps.ts'
import type { ManagedEngine } from './engine/engine.ts'
import type { Pools } from './engine/pools.ts'
import {
  type DatabaseRow,
  type DatabaseState,
  deleteDatabase,
  findDatabase,
  isForgotten,
  moveDatabase,
} from './store.ts'

export type FinishDeps = Pick<DatabaseDeps, 'db'> & {
  readonly engine: Pick<ManagedEngine, 'create' | 'drop' | 'endLogins'>
  readonly pools: Pick<Pools, 'forget'>
}

const UNFINISHED: readonly DatabaseState[] = ['creating', 'failed']

export function nameTaken(name: string): ServiceError {
  return new ServiceError('CONFLICT', `A database named ${name} already exists.`)
}

/** Makes the error for a database that another request or the worker is creating or dropping. */
export function busyDatabase({ name }: DatabaseRow): (retryAfterSeconds: number) => ServiceError {
  return (retryAfterSeconds) =>
    new ServiceError(
      'CONFLICT',
      `The database ${name} is being created or dropped. Try again in ${secondsText(retryAfterSeconds)}.`,
      { retryAfterSeconds },
    )
}

/** The lease of whoever creates or drops the database. */
export function leaseOf({ id }: Pick<DatabaseRow, 'id'>): string {
  return `database:${id}`
}

/** Runs `run` unless another process creates or drops this database. */
export function withDatabase<T>(
  { db }: Pick<FinishDeps, 'db'>,
  row: DatabaseRow,
  run: (guard: LeaseGuard) => Promise<T>,
): Promise<T> {
  return withLease(db, { name: leaseOf(row), refuse: busyDatabase(row), run })
}

/** Creates what is missing of the database and makes it ready. The caller holds its lease. */
export async function finishCreating(deps: FinishDeps, row: DatabaseRow, guard: LeaseGuard): Promise<void> {
  // The process that held the lease before may have finished or dropped it.
  const current = await findDatabase(deps.db, row.org_id, row.name)
  if (current?.id !== row.id || !UNFINISHED.includes(current.state)) throw nameTaken(row.name)
  await deps.engine.create(row)
  try {
    await deps.db.tx(async (tx) => {
      await guard.confirmIn(tx)
      if (!(await moveDatabase(tx, row.id, UNFINISHED, 'ready'))) throw nameTaken(row.name)
    })
  } catch (error) {
    // A process that was paused can create a database again that others finished and dropped meanwhile.
    if (await isForgotten(deps.db, row.id)) await deps.engine.drop(row)
    throw error
  }
}

/** Removes what is left of the database and then its row. The caller holds its lease. */
export async function finishDropping(deps: FinishDeps, row: DatabaseRow, guard: LeaseGuard): Promise<void> {
  // Questions that still run are waited for; nobody else logs in meanwhile.
  await deps.engine.endLogins?.(row)
  await deps.pools.forget(row.physical_name)
  await deps.engine.drop(row)
  await deps.db.tx(async (tx) => {
    await guard.confirmIn(tx)
    await deleteDatabase(tx, row.id)
  })
}
