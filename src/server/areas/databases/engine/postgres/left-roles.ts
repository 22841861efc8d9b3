import type { Querier } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import { dropTenantRole, markRole, REMOVED_ROLE } from './alter-role.ts'
import type { SendText } from './entrance.ts'
import { rollBackPrepared } from './prepared.ts'
import { isNotAllowed, isStillNeeded, RoleLocked } from './states.ts'
import { ADMIN_LIMIT_MS, type LoginServer } from './template.ts'
import { TENANT_ROLE } from './tenant-role.ts'

/** Another tenant can grant the role something again while it is removed. */
const MAX_ROUNDS = 3
const MAX_NAMES_SHOWN = 10

/**
 * Removes roles without a login and all that they own or were granted in any database. Returns those that stay, because
 * something depends on them where the platform may not enter, or is locked now. They are marked, so that
 * `findLeftRoles` finds them later.
 */
export async function removeRoles(server: LoginServer, roles: readonly string[]): Promise<string[]> {
  let left = [...roles]
  for (let round = 1; left.length > 0 && round <= MAX_ROUNDS; round++) {
    let isHeld = false
    for (const database of await databasesOf(server.db, left)) {
      await dropOwned(server, database, left).catch((error: unknown) => {
        if (!isForLater(error)) throw error
        isHeld = true
      })
    }
    const dropped = await dropAll(server, left)
    left = dropped.left
    // The next round would wait for the same lock.
    if (isHeld || dropped.isLocked) break
  }
  return left
}

async function dropAll(server: LoginServer, roles: readonly string[]) {
  const left: string[] = []
  let isLocked = false
  for (const role of roles) {
    await dropTenantRole(server, role).catch((error: unknown) => {
      if (!isStillNeeded(error) && !(error instanceof RoleLocked)) throw error
      isLocked ||= error instanceof RoleLocked
      left.push(role)
    })
  }
  return { left, isLocked }
}

/** Marks roles whose logins ended, so that they are found again if removing them fails or the process dies. */
export async function markRemoved(server: LoginServer, roles: readonly string[]): Promise<void> {
  for (const role of roles) {
    await markRole(server, role).catch((error: unknown) => {
      if (!isNotAllowed(error)) throw error
    })
  }
}

/** Returns the roles that a drop could not remove after their database. Only a role that may create roles can write the mark. */
export async function findLeftRoles(db: Querier): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select r.rolname as name from pg_catalog.pg_roles r
    join pg_catalog.pg_shdescription d on d.objoid = r.oid and d.classoid = 'pg_catalog.pg_authid'::regclass
    where d.description = ${REMOVED_ROLE} and not r.rolcanlogin and r.rolname ~ '^[ormp]_[0-9a-f]{16}$'
      and pg_has_role(r.oid, 'usage')
      and not exists (select from pg_catalog.pg_database where datname = 'd' || substr(r.rolname, 2))
    order by r.rolname`)
  return rows.map(({ name }) => name)
}

/** Returns for the operator which roles of dropped databases stay, or undefined. */
export async function leftRolesWarning(db: Querier): Promise<string | undefined> {
  const roles = await findLeftRoles(db)
  return roles.length === 0 ? undefined : leftRolesText(roles)
}

export function leftRolesText(roles: readonly string[]): string {
  const names = roles.slice(0, MAX_NAMES_SHOWN).map((role) => identifier(role).text)
  const more = roles.length > names.length ? ` (and ${roles.length - names.length} more)` : ''
  const list = names.join(', ')
  return (
    `Roles of dropped databases stay, without a login, because something still depends on them: ${list}${more}. svc ` +
    'tries to remove them every five minutes. If they stay, as a superuser run ' +
    `\`drop owned by ${list} cascade;\` in every database where they own or were granted something, then ` +
    `\`drop role ${list};\``
  )
}

/** Returns our own database and those where the roles own something or were granted something. */
async function databasesOf(db: Querier, roles: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select datname as name from pg_catalog.pg_database
    where datname = current_database() or oid in (
      select d.dbid from pg_catalog.pg_shdepend d
      join pg_catalog.pg_roles r on d.refclassid = 'pg_catalog.pg_authid'::regclass and d.refobjid = r.oid
      where r.rolname = any(${roles}))`)
  return rows.map(({ name }) => name)
}

/**
 * Removes what the roles own in one database. Never REASSIGN OWNED: functions that run with the rights of their owner
 * would then run with the platform's. Sessions of tenants in a database that is not theirs are ended, because they
 * could hold locks on what is dropped.
 */
async function dropOwned({ entrance }: LoginServer, database: string, roles: readonly string[]): Promise<void> {
  const names = roles.map((role) => identifier(role).text).join(', ')
  await entrance.enter(database, ADMIN_LIMIT_MS, async (send: SendText) => {
    await send(
      `select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
       where datname = current_database() and usename ~ $1 and pg_has_role(usesysid, 'usage')`,
      [TENANT_ROLE],
    )
    await rollBackPrepared(send)
    await send(`drop owned by ${names} cascade`)
  })
}

/**
 * Whether the platform may not enter a database, it no longer exists (3D000) or takes no connections (55000), or is busy
 * or locked. The role then stays and is tried again.
 */
function isForLater(error: unknown): boolean {
  const isRefused = error instanceof Error && 'code' in error && REFUSED.has(error.code)
  return isRefused || isNotAllowed(error) || error instanceof DatabaseUnavailable
}
const REFUSED = new Set<unknown>(['28000', '3D000', '55000'])
