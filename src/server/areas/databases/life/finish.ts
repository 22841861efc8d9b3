import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { type LeaseGuard, withLease } from '#lib/work/lease.ts'
import type { ManagedEngine } from '../engine/engine.ts'
import type { Pools } from '../engine/pools.ts'
import { findMove } from '../model/move-store.ts'
import {
  type DatabaseRow,
  type DatabaseState,
  deleteDatabase,
  findDatabase,
  isForgotten,
  moveDatabase,
} from '../model/store.ts'
import type { DatabaseDeps } from '../servers/deps.ts'
import { shareConnections } from '../servers/share-connections.ts'

type FinishEngine = Pick<ManagedEngine, 'create' | 'drop' | 'endLogins' | 'limitOwner' | 'connectionSlots'>

export type FinishDeps = Pick<DatabaseDeps, 'db' | 'orgLimits'> & {
  readonly servers: { engineOf(on: { server: string }): FinishEngine }
  readonly pools: Pick<Pools, 'forget'>
}

const UNFINISHED: readonly DatabaseState[] = ['creating', 'failed']

export function nameTaken(name: string): ServiceError {
  return new ServiceError('CONFLICT', `A database named ${name} already exists.`)
}

/** Makes the error for a database that another process is creating, dropping or moving. */
export function busyDatabase({ name }: DatabaseRow): (retryAfterSeconds: number) => ServiceError {
  return (retryAfterSeconds) =>
    new ServiceError(
      'CONFLICT',
      `The database ${name} is being created, dropped or moved. Try again in ${secondsText(retryAfterSeconds)}.`,
      { retryAfterSeconds },
    )
}

/** The lease of the process that creates, drops or moves the database. */
export function leaseOf({ id }: Pick<DatabaseRow, 'id'>): string {
  return `database:${id}`
}

/** Runs `run` unless another process creates, drops or moves this database. */
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
  const engine = deps.servers.engineOf(row)
  // Before the new owner can connect, the others of the organization give up a part of theirs.
  const share = await shareConnections(deps, row)
  await engine.create(row, share)
  try {
    await deps.db.tx(async (tx) => {
      await guard.confirmIn(tx)
      if (!(await moveDatabase(tx, row.id, UNFINISHED, 'ready'))) throw nameTaken(row.name)
    })
  } catch (error) {
    // A process that was paused can create a database again that others finished and dropped meanwhile.
    if (await isForgotten(deps.db, row.id)) await engine.drop(row)
    throw error
  }
}

/** Removes what is left of the database and then its row. The caller holds its lease. */
export async function finishDropping(deps: FinishDeps, row: DatabaseRow, guard: LeaseGuard): Promise<void> {
  // Questions that still run are waited for; nobody else logs in meanwhile.
  const engine = deps.servers.engineOf(row)
  await engine.endLogins?.(row)
  await deps.pools.forget(row.physical_name)
  await engine.drop(row)
  for (const server of await otherServersOf(deps.db, row)) await deps.servers.engineOf({ ...row, server }).drop(row)
  await deps.db.tx(async (tx) => {
    await guard.confirmIn(tx)
    await deleteDatabase(tx, row.id)
  })
  // The others may have more now. If that fails, the worker repeats it within the hour.
  await shareConnections(deps, row).catch(() => undefined)
}

/** Returns the servers besides its own on which a move left a copy of the database. */
async function otherServersOf(db: DatabaseDeps['db'], row: DatabaseRow): Promise<string[]> {
  const move = await findMove(db, row.id)
  return move ? [move.from_server, move.to_server].filter((server) => server !== row.server) : []
}
