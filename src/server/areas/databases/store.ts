import type { Database } from '#contract/databases.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type DatabaseState = Database['state']

export type DatabaseRow = {
  id: string
  org_id: string
  name: string
  state: DatabaseState
  physical_name: string
  owner_role: string
  reader_role: string
  owner_password: string
  reader_password: string
  owner_verifier: string
  reader_verifier: string
  created_by: string
  created_at: Date
}

/** False when the organization has one of that name. */
export async function insertDatabase(tx: Tx, row: DatabaseRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into databases.databases
      (id, org_id, name, state, physical_name, owner_role, reader_role,
       owner_password, reader_password, owner_verifier, reader_verifier, created_by, created_at)
    values
      (${row.id}, ${row.org_id}, ${row.name}, ${row.state}, ${row.physical_name}, ${row.owner_role}, ${row.reader_role},
       ${row.owner_password}, ${row.reader_password}, ${row.owner_verifier}, ${row.reader_verifier},
       ${row.created_by}, ${row.created_at})
    on conflict (org_id, name) do nothing
    returning id`)
  return rows.length === 1
}

export async function countDatabases(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) from databases.databases`)
  return row!.count
}

export async function findDatabase(db: Querier, orgId: string, name: string): Promise<DatabaseRow | undefined> {
  const [row] = await db.query<DatabaseRow>(sql`
    select * from databases.databases where org_id = ${orgId} and name = ${name}`)
  return row
}

/** Whether it can be used, and stays so until the transaction ends: who drops it waits. */
export async function holdDatabase(tx: Tx, orgId: string, name: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from databases.databases where org_id = ${orgId} and name = ${name} and state = 'ready' for share`)
  return rows.length === 1
}

export async function findByPhysicalName(db: Querier, physicalName: string): Promise<DatabaseRow | undefined> {
  const [row] = await db.query<DatabaseRow>(sql`
    select * from databases.databases where physical_name = ${physicalName} and state = 'ready'`)
  return row
}

export async function pageDatabases(
  db: Querier,
  orgId: string,
  before: string | null,
  limit: number,
): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select * from databases.databases
    where org_id = ${orgId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function findUnfinished(db: Querier): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select * from databases.databases where state in ('creating', 'dropping') order by id limit 100`)
}

export async function findReady(db: Querier): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`select * from databases.databases where state = 'ready' order by id`)
}

/** True when it was in one of the states `from`. */
export async function moveDatabase(
  db: Querier,
  id: string,
  from: readonly DatabaseState[],
  to: DatabaseState,
): Promise<boolean> {
  const rows = await db.query(sql`
    update databases.databases set state = ${to} where id = ${id} and state = any(${from}) returning id`)
  return rows.length === 1
}

export async function deleteDatabase(db: Querier, id: string): Promise<void> {
  await db.query(sql`delete from databases.databases where id = ${id} and state = 'dropping'`)
}
