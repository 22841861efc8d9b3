import type { Db } from '#lib/db/db.ts'
import { dropDumpRole } from '../engine/postgres/dump-role.ts'
import { deleteMove, type Move } from '../model/move-store.ts'
import type { DatabaseRow } from '../model/store.ts'
import type { Servers } from '../servers/servers.ts'
import { refuseSameServer } from './check.ts'
import { openToOwner } from './owner-gate.ts'
import { sidesOf } from './sides.ts'

type Deps = { readonly db: Db; readonly servers: Servers }

/** Lets the owner of a database that was not switched in again, and drops the unfinished copy. Can be repeated. */
export async function undoMove({ db, servers }: Deps, row: DatabaseRow, move: Move): Promise<void> {
  const { from, to } = sidesOf(servers, move)
  await openToOwner(from, row, move.owner_connections)
  await dropDumpRole(from.db, from.entrance, row)
  await refuseSameServer(from, to)
  await to.engine.drop(row)
  await db.tx((tx) => deleteMove(tx, { database_id: row.id, phase: 'copying' }))
}

/** Drops the copy that a finished move left on the former server. */
export async function dropOldCopy({ db, servers }: Deps, row: DatabaseRow, move: Move): Promise<void> {
  const { from, to } = sidesOf(servers, move)
  await refuseSameServer(from, to)
  await from.engine.drop(row)
  await db.tx((tx) => deleteMove(tx, { database_id: row.id, phase: 'kept' }))
}
