import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine/engine.ts'
import { alterRole } from '../engine/postgres/alter-role.ts'
import type { LoginServer } from '../engine/postgres/template.ts'
import { TENANT_ROLE } from '../engine/postgres/tenant-role.ts'

const LIMIT_MS = 30_000
const INTERVAL_MS = 50

/** Returns how many connections the role may have; a negative number means any. */
export async function ownerConnections(db: Db, { owner_role }: Managed): Promise<number> {
  const [row] = await db.query<{ connections: number }>(sql`
    select rolconnlimit as connections from pg_catalog.pg_roles where rolname = ${owner_role}`)
  if (!row) throw new ServiceError('CONFLICT', `The role ${owner_role} is missing on its Postgres server.`)
  return row.connections
}

/**
 * Keeps everybody but the reader out of the database, and returns when all that they wrote is committed or rolled back.
 * The owner is refused with 53300 (too many connections), which drivers and pools retry. Others can be members of the
 * owner's role before Postgres 16, and are refused because that role may not connect.
 */
export async function closeToOwner(on: LoginServer, managed: Managed, limitMs = LIMIT_MS): Promise<void> {
  const { db } = on
  const [owner, database] = [identifier(managed.owner_role).text, identifier(managed.physical_name).text]
  await refusePrepared(db, managed)
  await limitConnections(on, managed, 0)
  await db.query(script(`revoke connect on database ${database} from ${owner}`))
  const until = performance.now() + limitMs
  while (!(await isClosed(db, managed))) {
    if (performance.now() > until) throw stillInUse(limitMs)
    await wait(INTERVAL_MS)
  }
  await refusePrepared(db, managed)
}

/** Lets the owner in again, as `closeToOwner` found it. */
export async function openToOwner(on: LoginServer, managed: Managed, connections: number): Promise<void> {
  const [owner, database] = [identifier(managed.owner_role).text, identifier(managed.physical_name).text]
  await on.db.query(script(`grant connect on database ${database} to ${owner}`))
  await limitConnections(on, managed, connections)
}

export async function limitConnections(on: LoginServer, { owner_role }: Managed, connections: number): Promise<void> {
  await alterRole(on, owner_role, `connection limit ${connections}`)
}

/**
 * Ends the sessions of tenants other than the reader, and returns whether there were none. A connection that is being
 * made was let in before the gate closed only if it holds a lock on the database already: it takes that lock before it
 * checks the right to connect, and shows as a session before it gives the lock back. So the locks are read first.
 */
async function isClosed(db: Db, { physical_name, reader_role }: Managed): Promise<boolean> {
  const connecting = await db.query(sql`
    select from pg_catalog.pg_locks
    where locktype = 'object' and classid = 'pg_catalog.pg_database'::regclass and mode = 'RowExclusiveLock'
      and objid = (select oid from pg_catalog.pg_database where datname = ${physical_name}) limit 1`)
  const sessions = await db.query(sql`
    select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
    where datname = ${physical_name} and usename ~ ${TENANT_ROLE} and usename <> ${reader_role}`)
  return connecting.length === 0 && sessions.length === 0
}

/** A prepared transaction can keep the role locked, and cannot be copied. */
async function refusePrepared(db: Db, { physical_name }: Managed): Promise<void> {
  const prepared = await db.query(sql`select from pg_catalog.pg_prepared_xacts where database = ${physical_name}`)
  if (prepared.length > 0) throw hasPrepared()
}

function stillInUse(limitMs: number): ServiceError {
  const limit = secondsText(Math.ceil(limitMs / 1000))
  return new ServiceError('CONFLICT', `Sessions of the owner did not end in ${limit}. Nothing was moved; try again.`)
}

function hasPrepared(): ServiceError {
  return new ServiceError(
    'CONFLICT',
    'The database has prepared transactions, which cannot be copied. Their owner must commit or roll them back first.',
  )
}
