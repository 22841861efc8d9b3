import type { Database } from '#contract/databases.ts'
import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { containsText, nearestFirst } from '#lib/db/text-match.ts'
import { type Managed, OWNER } from '../engine/engine.ts'

export type DatabaseState = Database['state']

export type DatabaseRow = Managed & {
  id: string
  org_id: string
  name: string
  state: DatabaseState
  /** Name of the Postgres server it is on. */
  server: string
  owner_password: string
  reader_password: string
  created_by: string
  created_at: Date
}

/** Named one by one: a process of the former release has statements prepared while a column is added. */
export const DATABASE_COLUMNS = sql`database.id, database.org_id, database.name, database.state, database.server,
  database.physical_name, database.owner_role, database.reader_role, database.owner_password, database.reader_password,
  database.owner_verifier, database.reader_verifier, database.created_by, database.created_at`

/** Returns false when the organization has a database of that name. */
export async function insertDatabase(tx: Tx, row: DatabaseRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into databases.databases
      (id, org_id, name, state, server, physical_name, owner_role, reader_role,
       owner_password, reader_password, owner_verifier, reader_verifier, created_by, created_at)
    values
      (${row.id}, ${row.org_id}, ${row.name}, ${row.state}, ${row.server},
       ${row.physical_name}, ${row.owner_role}, ${row.reader_role},
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

/** Returns how many databases the organization has. Until the transaction ends nobody else creates one for it. */
export async function countOfOrg(tx: Tx, orgId: string): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`databases of ${orgId}`}, 0))`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from databases.databases where org_id = ${orgId}`)
  return row!.count
}

type Share = Pick<DatabaseRow, 'id' | 'owner_role'> & { owner_connections: number | null }

/** Returns the databases of the organization on the server, with the connections that svc gave to their owners. */
export async function findShares(db: Querier, orgId: string, server: string): Promise<Share[]> {
  return db.query<Share>(sql`
    select id, owner_role, owner_connections from databases.databases
    where org_id = ${orgId} and server = ${server} and state <> 'dropping' order by id`)
}

export async function recordShare(db: Querier, id: string, connections: number): Promise<void> {
  await db.query(sql`update databases.databases set owner_connections = ${connections} where id = ${id}`)
}

/** Returns how many connections the owners of all databases on each server may have together. */
export async function sumShares(db: Querier): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ server: string; connections: number }>(sql`
    select server, sum(coalesce(owner_connections, ${OWNER.connections})) as connections
    from databases.databases group by server`)
  return new Map(rows.map(({ server, connections }) => [server, connections]))
}

/** Returns how many databases each server has; a server without any is left out. */
export async function countByServer(db: Querier): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ server: string; count: number }>(sql`
    select server, count(*) from databases.databases group by server`)
  return new Map(rows.map(({ server, count }) => [server, count]))
}

export async function findDatabase(db: Querier, orgId: string, name: string): Promise<DatabaseRow | undefined> {
  const [row] = await db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database where org_id = ${orgId} and name = ${name}`)
  return row
}

const NAMES = [sql`name`]

export async function searchDatabases(db: Querier, orgId: string, text: string) {
  return db.query<Pick<DatabaseRow, 'name' | 'state'>>(sql`
    select name, state from databases.databases
    where org_id = ${orgId} and ${containsText(NAMES, text)}
    order by ${nearestFirst(NAMES, text)}, name limit ${MAX_SEARCH_HITS}`)
}

export async function findDatabases(
  db: Querier,
  orgId: string,
  names: readonly string[],
): Promise<Pick<DatabaseRow, 'name' | 'state' | 'server' | 'physical_name'>[]> {
  return db.query(sql`
    select name, state, server, physical_name from databases.databases
    where org_id = ${orgId} and name = any(${names}::text[]) order by name`)
}

export async function isForgotten(db: Querier, id: string): Promise<boolean> {
  return (await db.query(sql`select from databases.databases where id = ${id}`)).length === 0
}

/** Returns whether the database is ready. If so, it is not dropped before the transaction ends. */
export async function holdDatabase(tx: Tx, orgId: string, name: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from databases.databases where org_id = ${orgId} and name = ${name} and state = 'ready' for share`)
  return rows.length === 1
}

export async function findByPhysicalName(db: Querier, physicalName: string): Promise<DatabaseRow | undefined> {
  const [row] = await db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database where physical_name = ${physicalName} and state = 'ready'`)
  return row
}

/** Returns which of these physical names are in use. */
export async function findPhysicalNames(db: Querier, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select physical_name as name from databases.databases where physical_name = any(${names}::text[])`)
  return new Set(rows.map(({ name }) => name))
}

export async function pageDatabases(db: Querier, orgId: string, { before, limit }: PageQuery): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database
    where org_id = ${orgId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** A NOTIFY here tells the worker that a database is being created or dropped. */
export const UNFINISHED_CHANNEL = 'svc_databases_unfinished'

/** To be called in the transaction that begins to create or drop a database, so that the worker watches over it. */
export async function notifyUnfinished(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_notify(${UNFINISHED_CHANNEL}, '')`)
}

/** Databases whose creating or dropping is due to be finished, those that never failed first. */
export async function findUnfinished(db: Querier): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database
    where state in ('creating', 'dropping') and (retry_at is null or retry_at <= clock_timestamp())
    order by retry_at nulls first, id limit 100`)
}

/** Returns null when no database waits for its next attempt. */
export async function secondsUntilFinish(db: Querier): Promise<number | null> {
  const [row] = await db.query<{ seconds: number | null }>(sql`
    select extract(epoch from min(retry_at) - clock_timestamp())::float8 as seconds
    from databases.databases where state in ('creating', 'dropping') and retry_at > clock_timestamp()`)
  return row!.seconds
}

export async function postponeFinish(db: Querier, id: string, seconds: number): Promise<void> {
  await db.query(sql`
    update databases.databases set retry_at = clock_timestamp() + make_interval(secs => ${seconds}) where id = ${id}`)
}

/** Ready databases whose limits were not looked at for as many seconds. */
export async function findInsecure(db: Querier, seconds: number): Promise<DatabaseRow[]> {
  return db.query<DatabaseRow>(sql`
    select ${DATABASE_COLUMNS} from databases.databases as database
    where state = 'ready'
      and (secured_at is null or secured_at <= clock_timestamp() - make_interval(secs => ${seconds}))
    order by secured_at nulls first limit 100`)
}

/** Returns null when no ready database waits for its next look. */
export async function secondsUntilInsecure(db: Querier, seconds: number): Promise<number | null> {
  const [row] = await db.query<{ seconds: number | null }>(sql`
    select ${seconds} - extract(epoch from clock_timestamp() - min(secured_at))::float8 as seconds
    from databases.databases
    where state = 'ready' and secured_at > clock_timestamp() - make_interval(secs => ${seconds})`)
  return row!.seconds
}

export async function markSecured(db: Querier, id: string): Promise<void> {
  await db.query(sql`update databases.databases set secured_at = clock_timestamp() where id = ${id}`)
}

/** Returns whether the database was in one of the states `from`; only then it is changed. */
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
