import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import type { OwnerLimitChange } from '../engine.ts'
import { alterRole } from './alter-role.ts'
import { isNotAllowed } from './states.ts'
import type { LoginServer } from './template.ts'

type Owner = { readonly owner_role: string }

/**
 * Changes the connections that an owner may have, and ends its sessions beyond them, idle and new ones first. Returns
 * false, and changes nothing, if the role has another limit than `from`: an operator set it, or a move closed the role.
 */
export async function limitOwner(
  server: LoginServer,
  { owner_role }: Owner,
  { from, to }: OwnerLimitChange,
): Promise<boolean> {
  const { db } = server
  const [role] = await db.query<{ current: number }>(sql`
    select rolconnlimit as current from pg_catalog.pg_roles where rolname = ${owner_role}`)
  // A role that is still to be created gets the limit then.
  if (!role) return true
  const { current } = role
  if (current >= 0 && current !== from && current !== to) return false
  if (current !== to) await alterRole(server, owner_role, `connection limit ${to}`)
  await db.query(sql`
    select pg_terminate_backend(pid) from (
      select pid from pg_catalog.pg_stat_activity where usename = ${owner_role}
      order by state is not distinct from 'idle', backend_start offset ${to}) as surplus`)
  return true
}

/** Bounds the connections of an owner role that older code made; a limit that an operator set stays. */
export async function limitUnlimitedOwner(
  server: LoginServer,
  { owner_role }: Owner,
  connections: number,
  warn: (text: string) => void,
): Promise<void> {
  const unlimited = await server.db.query(sql`
    select from pg_catalog.pg_roles where rolname = ${owner_role} and rolconnlimit < 0`)
  if (unlimited.length === 0) return
  const limit = `connection limit ${connections}`
  await alterRole(server, owner_role, limit).catch((error: unknown) => {
    if (!isNotAllowed(error)) throw error
    const statement = `alter role ${identifier(owner_role).text} ${limit}`
    warn(`The owner of a managed database can use every connection of this server. As a superuser run: ${statement};`)
  })
}

/** Returns how many connections all roles that are no superusers can have together. */
export async function connectionSlots(db: Db): Promise<number> {
  const [row] = await db.query<{ slots: number }>(sql`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as slots`)
  return row!.slots
}
