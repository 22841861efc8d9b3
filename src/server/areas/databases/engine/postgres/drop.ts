import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine.ts'
import { alterRole } from './alter-role.ts'
import { dropDatabase } from './drop-database.ts'
import { dumpRoleOf } from './dump-role.ts'
import { leftRolesText, markRemoved, removeRoles } from './left-roles.ts'
import { rollBackPrepared } from './prepared.ts'
import { previewRoleOf } from './preview-role.ts'
import { isInUse, isNotAllowed } from './states.ts'
import { ADMIN_LIMIT_MS, type LoginServer, onOwnDatabase } from './template.ts'

type Deps = LoginServer & { warn: (text: string) => void }

/**
 * Removes a managed database and its roles. The logins end first, so that the credentials are dead even if the rest
 * fails and is tried again. A role that something still depends on is left without a login, reported, and removed later
 * by a job.
 */
export async function dropManaged(deps: Deps, managed: Managed): Promise<void> {
  const roles = await endLogins(deps, managed)
  await dropOrExplain(deps, managed)
  const left = await removeRoles(deps, roles)
  if (left.length > 0) deps.warn(leftRolesText(left))
}

/**
 * Ends the logins of the roles and all their sessions. Returns which of the roles exist. Sessions and prepared
 * transactions end first too, because they can hold locks on their roles.
 */
export async function endLogins(server: LoginServer, managed: Managed): Promise<string[]> {
  const { db } = server
  const names = [managed.reader_role, managed.owner_role, dumpRoleOf(managed), previewRoleOf(managed)]
  const rows = await db.query<{ name: string }>(sql`
    select rolname as name from pg_catalog.pg_roles where rolname = any(${names})`)
  const roles = rows.map(({ name }) => name)
  await endSessions(db, roles)
  await endPrepared(server, managed)
  for (const role of roles) await alterRole(server, role, 'nologin password null')
  await markRemoved(server, roles)
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

async function dropOrExplain(deps: Deps, managed: Managed): Promise<void> {
  await endPrepared(deps, managed)
  await onOwnDatabase(deps, (send) => dropDatabase(send, managed.physical_name)).catch((error: unknown) => {
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
