import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { LeaseGuard } from '#lib/work/lease.ts'
import { audit } from '#ports/audit.ts'
import type { Programs } from '../copy/programs.ts'
import { withDatabase } from '../life/finish.ts'
import { CACHED_LOGIN_MS } from '../model/logins.ts'
import { findById, findMove, insertMove, type Move, markKept, switchServer } from '../model/move-store.ts'
import { type DatabaseRow, notifyUnfinished } from '../model/store.ts'
import type { Servers } from '../servers/servers.ts'
import { checkMove, type Extent, refusal } from './check.ts'
import { createCopy, fillCopy } from './fill.ts'
import { putNotice } from './notice-store.ts'
import { closeToOwner, limitConnections, openToOwner, ownerConnections } from './owner-gate.ts'
import { type Sides, sidesOf } from './sides.ts'
import { undoMove } from './undo.ts'

export type MoveWaits = {
  /** How long to wait after the switch until no process uses the old address. */
  readonly settleMs?: number
  /** How long to wait for the end of the owner's sessions. */
  readonly closeMs?: number
  /** How long the copy may take, during which the owner is kept out. */
  readonly copyMs?: number
}

type MoveDeps = MoveWaits & {
  readonly db: Db
  readonly clock: Clock
  readonly servers: Servers
  readonly programs: Programs
  readonly print: (line: string) => void
}

/** Longer than any process uses the login it remembers, so that none reads the old copy once the owner writes again. */
const SETTLE_MS = CACHED_LOGIN_MS + 1_000

/** Returns what a move would copy. Throws CONFLICT if it is not possible; changes nothing. */
export async function planMove({ servers }: MoveDeps, row: DatabaseRow, to: string): Promise<Extent> {
  refuseTarget(servers, row, to)
  return checkMove(sidesOf(servers, { from_server: row.server, to_server: to }), row)
}

/**
 * Moves a database to another server. Questions are answered throughout: by the old copy until the row is switched, by
 * either until no process remembers the old address, then by the new one. Its owner is kept out from before the copy
 * until then, so no write is lost. A move that fails before the switch is undone; one that is killed is undone or
 * finished by the worker or by the next call.
 */
export async function moveToServer(deps: MoveDeps, { id }: DatabaseRow, to: string): Promise<void> {
  const row = await findById(deps.db, id)
  if (!row) throw refusal('The database was dropped.')
  await withDatabase(deps, row, async (guard) => {
    const move = await findMove(deps.db, id)
    if (move && move.to_server !== to) throw alreadyMoving(move)
    if (move?.phase === 'kept') throw refusal('The database was moved there already, and its old copy is still kept.')
    const switched = move?.phase === 'switched' ? move : await copyAndSwitch(deps, row, to, guard)
    deps.print('Waiting until every process uses the new address.')
    await finishMove(deps, row, switched)
  })
}

async function copyAndSwitch(deps: MoveDeps, row: DatabaseRow, to: string, guard: LeaseGuard): Promise<Move> {
  const leftover = await findMove(deps.db, row.id)
  if (leftover) await undoMove(deps, row, leftover)
  refuseTarget(deps.servers, row, to)
  const sides = sidesOf(deps.servers, { from_server: row.server, to_server: to })
  await checkMove(sides, row)
  const move = await beginMove(deps, row, to, sides, guard)
  try {
    const password = await createCopy(sides, row)
    await guard.confirm()
    deps.print('From now on the owner cannot connect. Questions are still answered.')
    await closeToOwner(sides.from, row, deps.closeMs)
    await fillCopy({ ...deps, ...sides, row }, password)
    await commitSwitch(deps, row, move, guard)
    return move
  } catch (error) {
    await undoIfNotSwitched(deps, row, move, guard)
    throw error
  }
}

async function beginMove(
  deps: MoveDeps,
  row: DatabaseRow,
  to: string,
  { from }: Sides,
  guard: LeaseGuard,
): Promise<Move> {
  const move: Move = {
    database_id: row.id,
    from_server: row.server,
    to_server: to,
    phase: 'copying',
    owner_connections: await ownerConnections(from.db, row),
    started_at: deps.clock.now(),
    switched_at: null,
  }
  await deps.db.tx(async (tx) => {
    await guard.confirmIn(tx)
    await insertMove(tx, move)
    await notifyUnfinished(tx)
  })
  return move
}

async function commitSwitch({ db, clock, print }: MoveDeps, row: DatabaseRow, move: Move, guard: LeaseGuard) {
  const { from_server, to_server } = move
  await db.tx(async (tx) => {
    await guard.confirmIn(tx)
    await switchServer(tx, move, clock.now())
    const entry = { org_id: row.org_id, actor: 'operator', action: 'database.moved', target: row.id }
    await audit(tx, { ...entry, detail: { name: row.name, from_server, to_server }, at: clock.now() })
    await putNotice(tx, row.id, clock.now())
    await notifyUnfinished(tx)
  })
  print(`Switched to ${to_server}.`)
}

/** Does nothing when another process took the lease over, which then finishes or undoes the move itself. */
async function undoIfNotSwitched(deps: MoveDeps, row: DatabaseRow, move: Move, guard: LeaseGuard): Promise<void> {
  try {
    const current = await findMove(deps.db, row.id)
    if (current !== undefined && current.phase !== 'copying') return
    // Without a row the worker undid the move already, but this process may have changed something after that.
    if (current !== undefined) await guard.confirm()
    deps.print('Undoing the move.')
    await undoMove(deps, row, move)
  } catch {
    // The error that the move failed with is reported; this one is most often its consequence.
    deps.print('The move could not be undone now. The worker does it, or run this again.')
  }
}

type FinishDeps = Pick<MoveDeps, 'db' | 'servers' | 'settleMs'>

/** Lets the owner in on the new server. On the old one it gets an error that does not invite to retry. */
export async function finishMove(deps: FinishDeps, row: DatabaseRow, move: Move): Promise<void> {
  const { db, servers, settleMs = SETTLE_MS } = deps
  const { from, to } = sidesOf(servers, move)
  await wait(settleMs)
  await openToOwner(to, row, move.owner_connections)
  // The old server may be away for good, which must not keep the owner out of the new one.
  await limitConnections(from, row, move.owner_connections).catch(() => undefined)
  await markKept(db, row.id)
}

function refuseTarget({ all }: Servers, row: DatabaseRow, to: string): void {
  const target = all.find(({ settings }) => settings.name === to)
  if (!target) throw new ServiceError('INVALID_REQUEST', `SVC_DATABASE_SERVERS names no server ${to}.`)
  if (row.state !== 'ready') throw refusal(`The database is not ready. Its state is ${row.state}.`)
  if (row.server === to) throw refusal(`The database is on ${to} already.`)
  if (target.settings.state !== 'open') throw refusal(`The server ${to} is marked as ${target.settings.state}.`)
}

function alreadyMoving({ from_server, to_server, phase }: Move): ServiceError {
  if (phase !== 'kept') return refusal(`The database is being moved from ${from_server} to ${to_server} already.`)
  return refusal(`An old copy of the database is still on ${from_server}. Run svc-server databases drop-old first.`)
}
