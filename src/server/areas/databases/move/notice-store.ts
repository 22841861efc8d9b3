import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { DatabaseRow } from '../model/store.ts'

/** A move that nobody has been told of. A database has one at most: only its last address matters. */
export type MoveNotice = Pick<DatabaseRow, 'id' | 'org_id' | 'name' | 'created_by'> & { switched_at: Date }

export async function putNotice(tx: Tx, databaseId: string, switchedAt: Date): Promise<void> {
  await tx.query(sql`
    insert into databases.move_notices (database_id, switched_at) values (${databaseId}, ${switchedAt})
    on conflict (database_id) do update set switched_at = excluded.switched_at`)
}

export async function readNotices(db: Querier, { after, limit }: { after: string; limit: number }) {
  return db.query<MoveNotice>(sql`
    select d.id, d.org_id, d.name, d.created_by, n.switched_at
    from databases.move_notices n join databases.databases d on d.id = n.database_id
    where d.state = 'ready' and d.id > ${after}
    order by d.id limit ${limit}`)
}

/** Leaves the notice of a later move of the same database. */
export async function deleteNotice(db: Querier, { id, switched_at }: MoveNotice): Promise<void> {
  await db.query(sql`
    delete from databases.move_notices where database_id = ${id} and switched_at = ${switched_at}`)
}

export async function deleteOldNotices(db: Querier, before: Date): Promise<void> {
  await db.query(sql`delete from databases.move_notices where switched_at < ${before}`)
}
