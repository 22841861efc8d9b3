import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine.ts'
import { ensureRole } from './ensure-role.ts'
import type { Entrance } from './entrance.ts'
import { isStillNeeded } from './states.ts'
import { ADMIN_LIMIT_MS } from './template.ts'

type Owner = Pick<Managed, 'owner_role' | 'physical_name'>

/** Connections of one dump at a time, and of the comparison after it. */
const MAX_CONNECTIONS = 3

/** Returns the name of the role that reads a database while it is moved. Each database has its own. */
export function dumpRoleOf({ owner_role }: Pick<Managed, 'owner_role'>): string {
  return owner_role.replace(/^o_/, 'm_')
}

/**
 * Creates the login of `pg_dump`. It has the rights of the owner and no others, because `pg_dump` plans queries on the
 * names of objects that the tenant can replace meanwhile, and code of the tenant then runs in its session.
 */
export async function createDumpRole(db: Db, managed: Owner, verifier: string): Promise<void> {
  const [name, owner] = [identifier(dumpRoleOf(managed)).text, identifier(managed.owner_role).text]
  const bypass = (await mayBypassPolicies(db)) ? 'bypassrls' : ''
  const attributes = `login inherit ${bypass} connection limit ${MAX_CONNECTIONS} password '${verifier}'`
  await ensureRole(db, dumpRoleOf(managed), attributes)
  await db.query(script(`grant ${owner} to ${name}`))
  await db.query(script(`grant connect on database ${identifier(managed.physical_name).text} to ${name}`))
}

/** Ends the login of `pg_dump` and removes its role. A role that something depends on stays, without a login. */
export async function dropDumpRole(db: Db, entrance: Entrance, managed: Owner): Promise<void> {
  if (!(await exists(db, managed))) return
  const role = dumpRoleOf(managed)
  const name = identifier(role).text
  await db.query(script(`alter role ${name} nologin password null`))
  await db.query(sql`select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where usename = ${role}`)
  await entrance.enter(managed.physical_name, ADMIN_LIMIT_MS, (send) => send(`drop owned by ${name} cascade`))
  await db.query(script(`drop role if exists ${name}`)).catch((error: unknown) => {
    if (!isStillNeeded(error)) throw error
  })
}

async function exists(db: Db, managed: Owner): Promise<boolean> {
  return (await db.query(sql`select from pg_catalog.pg_roles where rolname = ${dumpRoleOf(managed)}`)).length === 1
}

/** The condition under which the role of the platform may give another one the right to read past row policies. */
export const MAY_BYPASS_POLICIES = `exists (
  select from pg_catalog.pg_roles where rolname = current_user
    and (rolsuper or (rolbypassrls and current_setting('server_version_num')::int >= 160000)))`

async function mayBypassPolicies(db: Db): Promise<boolean> {
  const [row] = await db.query<{ may: boolean }>(script(`select ${MAY_BYPASS_POLICIES} as may`))
  return row!.may
}
