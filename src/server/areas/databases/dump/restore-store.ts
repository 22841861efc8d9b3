import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import { DATABASE_COLUMNS, type DatabaseRow } from '../model/store.ts'

type RestorableRow = DatabaseRow & { owner_connections: number | null }

export async function findRestorable(db: Querier, id: string): Promise<RestorableRow | undefined> {
  const [row] = await db.query<RestorableRow>(sql`
    select ${DATABASE_COLUMNS}, database.owner_connections from databases.databases as database where id = ${id}`)
  return row
}

export async function placeAllOnPlatform(db: Db): Promise<void> {
  await db.query(sql`update databases.databases set server = ${PLATFORM_SERVER}`)
}

/**
 * Makes the rows of databases fit what was restored: there is one copy of each, and those without one are dropped by the
 * worker, as if their owner had dropped them.
 */
export async function settleRestored(tx: Tx, missing: readonly string[]): Promise<void> {
  await tx.query(sql`delete from databases.moves`)
  await tx.query(sql`delete from databases.move_notices`)
  await tx.query(sql`
    update databases.databases set state = 'dropping', retry_at = null where id = any(${missing}) and state = 'ready'`)
}
