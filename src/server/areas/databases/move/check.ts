import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { MAY_BYPASS_POLICIES } from '../engine/postgres/dump-role.ts'
import type { DatabaseRow } from '../model/store.ts'
import { type Admin, CHECK_LIMIT_MS, type Sides } from './sides.ts'

/** The size of a move, which the operator is told before it begins. */
export type Extent = { readonly bytes: number; readonly tables: number; readonly sessions: number }

/** Finds out whether the database can be moved. Throws CONFLICT with the reason if not; changes nothing. */
export async function checkMove({ from, to }: Sides, row: DatabaseRow): Promise<Extent> {
  await refuseSameServer(from, to)
  await refuseOlderServer(from.db, to.db)
  const found = await to.db.query(sql`select from pg_catalog.pg_database where datname = ${row.physical_name}`)
  if (found.length > 0) {
    throw refusal(
      `The server already has a database ${row.physical_name}. If it is not needed, a superuser must drop it.`,
    )
  }
  return inspect({ from, to }, row)
}

/**
 * Throws if both are the same Postgres cluster. There one of the copies cannot be dropped without the other, because both
 * have the same name.
 */
export async function refuseSameServer(from: Admin, to: Admin): Promise<void> {
  const [one, other] = await Promise.all([from, to].map(identityOf))
  if (one === other) throw refusal('Both names in SVC_DATABASE_SERVERS lead to the same Postgres server.')
}

async function identityOf({ db, name }: Admin): Promise<string> {
  try {
    const [row] = await db.query<{ identity: string }>(sql`
      select system_identifier::text as identity from pg_catalog.pg_control_system()`)
    return row!.identity
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? serverAway(name, error) : error
  }
}

function serverAway(name: string, cause: DatabaseUnavailable): ServiceError {
  const message = `The Postgres server ${name} does not answer. Start it, or correct its address, and try again.`
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: cause.retryAfterSeconds, cause })
}

async function refuseOlderServer(from: Db, to: Db): Promise<void> {
  const [one, other] = await Promise.all([majorOf(from), majorOf(to)])
  refuseOlderVersion(one, other)
}

/** Throws if the version that a database is moved to is older. */
export function refuseOlderVersion(from: number, to: number): void {
  if (to < from) throw refusal(`Postgres ${to} of the other server is older than Postgres ${from} of this one.`)
}

async function majorOf(db: Db): Promise<number> {
  const [row] = await db.query<{ major: number }>(sql`
    select current_setting('server_version_num')::int / 10000 as major`)
  return row!.major
}

async function inspect({ from, to }: Sides, row: DatabaseRow): Promise<Extent> {
  const inside = await from.entrance.enter(row.physical_name, CHECK_LIMIT_MS, async (send) => {
    const extensions = await send<{ name: string }>('select extname as name from pg_catalog.pg_extension')
    const forced = await send<{ name: string }>(
      `select relnamespace::regnamespace || '.' || quote_ident(relname) as name from pg_catalog.pg_class
       where relforcerowsecurity and not ${MAY_BYPASS_POLICIES} limit 1`,
    )
    const [extent] = await send<Extent>(
      `select pg_catalog.pg_database_size(current_database()) as bytes,
              (select count(*)::int from pg_catalog.pg_class
               where relkind in ('r', 'm') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)') as tables,
              (select count(*)::int from pg_catalog.pg_stat_activity where usename = $1) as sessions`,
      [row.owner_role],
    )
    return { extensions: extensions.map(({ name }) => name), forced: forced[0]?.name, extent: extent! }
  })
  if (inside.forced !== undefined) throw refusal(forcedText(inside.forced))
  const available = await to.db.query<{ name: string }>(sql`
    select name from pg_catalog.pg_available_extensions where name = any(${inside.extensions}::text[])`)
  const names = new Set(available.map(({ name }) => name))
  const missing = inside.extensions.filter((name) => !names.has(name))
  if (missing.length > 0)
    throw refusal(`The other server lacks the extensions ${missing.join(', ')}. Install them there.`)
  return inside.extent
}

function forcedText(table: string): string {
  return (
    `The table ${table} has FORCE ROW LEVEL SECURITY, so the role that copies cannot read all of its rows. Let the ` +
    'owner switch it off for the move, or from Postgres 16 on, as a superuser run alter role … bypassrls for the role of ' +
    'this server.'
  )
}

export function refusal(message: string): ServiceError {
  return new ServiceError('CONFLICT', message)
}
