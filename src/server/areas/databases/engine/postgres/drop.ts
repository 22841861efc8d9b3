import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine.ts'
import { alterRole, dropTenantRole } from './alter-role.ts'
import { dumpRoleOf } from './dump-role.ts'
import type { SendText } from './entrance.ts'
import { isInUse, isNotAllowed, isStillNeeded } from './states.ts'
import { ADMIN_LIMIT_MS, onOwnDatabase, type Server } from './template.ts'
import { TENANT_ROLE } from './tenant-role.ts'

type LoginServer = Pick<Server, 'db' | 'entrance'>
type Deps = LoginServer & { warn: (text: string) => void }

/**
 * Removes a managed database and its roles. The logins end first, so that the credentials are dead even if the rest
 * fails and is tried again. A role that something still depends on, in a database that the platform may not enter, is
 * left without a login and reported.
 */
export async function dropManaged(deps: Deps, managed: Managed): Promise<void> {
  const roles = await endLogins(deps, managed)
  await dropDatabase(deps, managed)
  for (const database of await databasesOf(deps, roles)) await dropOwned(deps, database, roles)
  for (const role of roles) await dropRole(deps, role)
}

/**
 * Ends the logins of the roles and all their sessions. Returns which of the roles exist. Sessions and prepared
 * transactions end first too, because they can hold locks on their roles.
 */
export async function endLogins(server: LoginServer, managed: Managed): Promise<string[]> {
  const { db } = server
  const names = [managed.reader_role, managed.owner_role, dumpRoleOf(managed)]
  const rows = await db.query<{ name: string }>(sql`
    select rolname as name from pg_catalog.pg_roles where rolname = any(${names})`)
  const roles = rows.map(({ name }) => name)
  await endSessions(db, roles)
  await endPrepared(server, managed)
  for (const role of roles) await alterRole(server, role, 'nologin password null')
  await endSessions(db, roles)
  return roles
}

async function endSessions(db: Db, roles: readonly string[]): Promise<void> {
  await db.query(sql`select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where usename = any(${roles})`)
}

async function endPrepared({ db, entrance }: LoginServer, { physical_name }: Managed): Promise<void> {
  const prepared = await db.query(sql`select from pg_catalog.pg_prepared_xacts where database = ${physical_name}`)
  if (prepared.length > 0) await entrance.enter(physical_name, ADMIN_LIMIT_MS, rollBackPrepared)
}

async function dropDatabase(deps: Deps, managed: Managed): Promise<void> {
  await endPrepared(deps, managed)
  const drop = `drop database if exists ${identifier(managed.physical_name).text} with (force)`
  await onOwnDatabase(deps, (send) => send(drop)).catch((error: unknown) => {
    throw isInUse(error) || isNotAllowed(error) ? stillInUse(error) : error
  })
}

function stillInUse(cause: unknown): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The database cannot be removed now, because a session that is not its owner’s uses it. Its credentials no longer ' +
      'work; removing it is tried again every minute.',
    { cause, retryAfterSeconds: 60 },
  )
}

/** Returns our own database and those where the roles own something or were granted something. */
async function databasesOf({ db }: Deps, roles: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select datname as name from pg_catalog.pg_database
    where datname = current_database() or oid in (
      select d.dbid from pg_catalog.pg_shdepend d
      join pg_catalog.pg_roles r on d.refclassid = 'pg_catalog.pg_authid'::regclass and d.refobjid = r.oid
      where r.rolname = any(${roles}))`)
  return roles.length === 0 ? [] : rows.map(({ name }) => name)
}

/**
 * Removes what the roles own in one database. Never REASSIGN OWNED: functions that run with the rights of their owner
 * would then run with the platform's. Sessions of tenants in a database that is not theirs are ended, because they
 * could hold locks on what is dropped.
 */
async function dropOwned({ entrance, warn }: Deps, database: string, roles: readonly string[]): Promise<void> {
  const names = roles.map((role) => identifier(role).text).join(', ')
  const work = async (send: SendText) => {
    await send(
      `select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
       where datname = current_database() and usename ~ $1 and pg_has_role(usesysid, 'usage')`,
      [TENANT_ROLE],
    )
    await rollBackPrepared(send)
    await send(`drop owned by ${names} cascade`)
  }
  await entrance.enter(database, ADMIN_LIMIT_MS, work).catch((error: unknown) => {
    if (!isRefused(error)) throw error
    warn(
      `The platform may not remove what the dropped roles ${names} own in the database ${identifier(database).text}. ` +
        `As a superuser run there: drop owned by ${names} cascade;`,
    )
  })
}

/**
 * Ends prepared transactions of tenants, which outlive their sessions and keep locks. Only their own role may do it.
 */
async function rollBackPrepared(send: SendText): Promise<void> {
  const found = await send<{ gid: string; owner: string }>(
    `select quote_literal(gid) as gid, quote_ident(owner) as owner from pg_catalog.pg_prepared_xacts
     where database = current_database() and owner ~ $1 and pg_has_role(owner, 'usage')`,
    [TENANT_ROLE],
  )
  for (const { gid, owner } of found) {
    await send(`set role ${owner}`)
    await send(`rollback prepared ${gid}`)
    await send('reset role')
  }
}

/** Whether the platform may not enter a database, or the database no longer exists (3D000) or is closed (55000). */
function isRefused(error: unknown): boolean {
  return isNotAllowed(error) || (error instanceof Error && 'code' in error && REFUSED.has(error.code))
}
const REFUSED = new Set<unknown>(['28000', '3D000', '55000'])

async function dropRole(deps: Deps, role: string): Promise<void> {
  const name = identifier(role).text
  await dropTenantRole(deps, role).catch((error: unknown) => {
    if (!isStillNeeded(error)) throw error
    deps.warn(
      `The role ${name} of a dropped database stays, without a login, because something still depends on it. ` +
        `As a superuser run \`drop owned by ${name} cascade;\` in every database where it owns or was granted ` +
        `something, then \`drop role ${name};\``,
    )
  })
}
