import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { DATABASE_COLUMNS, type DatabaseRow } from './store.ts'

export type Move = {
  database_id: string
  from_server: string
  to_server: string
  phase: 'copying' | 'switched' | 'kept'
  owner_connections: number
  started_at: Date
  switched_at: Date | null
}

export async function findMove(db: Querier, databaseId: string): Promise<Move | undefined> {
  const [move] = await db.query<Move>(sql`
    select database_id, from_server, to_server, phase, owner_connections, started_at, switched_at
    from databases.moves where database_id = ${databaseId}`)
  return move
}

/** Returns databases with that id or, of any organization, with that name. */
export async function findByIdOrName(db: Querier, idOrName: string): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database where id = ${idOrName} or name = ${idOrName} order by id limit 20`)
}

export async function findById(db: Querier, id: string): Promise<DatabaseRow | undefined> {
  const [row] = await db.query<DatabaseRow>(
    sql`select ${DATABASE_COLUMNS} from databases.databases as database where id = ${id}`,
  )
  return row
}

/** Databases whose move was begun and has not ended, the oldest first. */
export async function findMoving(db: Querier): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database join databases.moves m on m.database_id = database.id
    where m.phase <> 'kept' and database.state = 'ready' order by m.started_at limit 100`)
}

type MoveName = Pick<Move, 'from_server' | 'to_server' | 'phase'> & Pick<DatabaseRow, 'id' | 'name' | 'org_id'>

export async function listMoves(db: Querier): Promise<MoveName[]> {
  return db.query<MoveName>(sql`
    select d.id, d.name, d.org_id, m.from_server, m.to_server, m.phase
    from databases.moves m join databases.databases d on d.id = m.database_id order by m.started_at limit 1000`)
}

export async function insertMove(tx: Tx, move: Omit<Move, 'switched_at' | 'phase'>): Promise<void> {
  await tx.query(sql`
    insert into databases.moves (database_id, from_server, to_server, phase, owner_connections, started_at)
    values (${move.database_id}, ${move.from_server}, ${move.to_server}, 'copying', ${move.owner_connections},
            ${move.started_at})`)
}

/** Makes the copy the database. From now on questions are sent to it. */
export async function switchServer(tx: Tx, move: Move, at: Date): Promise<void> {
  await tx.query(sql`update databases.databases set server = ${move.to_server} where id = ${move.database_id}`)
  await tx.query(sql`
    update databases.moves set phase = 'switched', switched_at = ${at} where database_id = ${move.database_id}`)
}

export async function markKept(db: Querier, databaseId: string): Promise<void> {
  await db.query(sql`
    update databases.moves set phase = 'kept' where database_id = ${databaseId} and phase = 'switched'`)
}

export async function deleteMove(tx: Tx, { database_id, phase }: Pick<Move, 'database_id' | 'phase'>): Promise<void> {
  await tx.query(sql`delete from databases.moves where database_id = ${database_id} and phase = ${phase}`)
}
