import type { Entrance, SendText } from './entrance.ts'
import { ADMIN_LIMIT_MS } from './template.ts'
import { TENANT_ROLE } from './tenant-role.ts'

/** `gid` and `owner` are quoted for SQL. */
type Prepared = { readonly gid: string; readonly owner: string; readonly database: string }

const OF_TENANTS = `
  select distinct quote_literal(p.gid) as gid, quote_ident(p.owner) as owner, p.database::text as database
  from pg_catalog.pg_prepared_xacts p`

/**
 * The locks of a session or of a prepared transaction that keep a role from being changed. Changing a role keeps the
 * first until the end of the transaction, granting it something the second. Nothing else that a tenant may do takes the
 * first.
 */
export const LOCKS_ROLE = `
  (l.locktype = 'relation' and l.relation = 'pg_catalog.pg_authid'::regclass and l.mode = 'RowExclusiveLock'
   or l.locktype = 'object' and l.classid = 'pg_catalog.pg_authid'::regclass
      and l.objid = (select oid from pg_catalog.pg_roles where rolname = $2))`

/**
 * Ends prepared transactions of tenants in the database that `send` is connected to. They outlive their sessions and keep
 * locks. Those of other roles stay, because they are the operator's.
 */
export async function rollBackPrepared(send: SendText): Promise<void> {
  const found = await send<Prepared>(
    `${OF_TENANTS} where p.database = current_database() and p.owner ~ $1 and pg_has_role(p.owner, 'usage')`,
    [TENANT_ROLE],
  )
  for (const prepared of found) await rollBack(send, prepared)
}

/**
 * Ends prepared transactions of tenants, in any database, that keep a role locked. Such a transaction shows no process in
 * pg_locks; it is found by the lock on its own number. Returns how many there were.
 */
export async function rollBackLockers(entrance: Entrance, send: SendText, role: string): Promise<number> {
  const found = await send<Prepared>(
    `${OF_TENANTS}
     join pg_catalog.pg_locks own on own.locktype = 'transactionid' and own.transactionid = p.transaction and own.pid is null
     join pg_catalog.pg_locks l on l.virtualtransaction = own.virtualtransaction and l.pid is null
     where ${LOCKS_ROLE} and p.owner ~ $1 and pg_has_role(p.owner, 'usage')`,
    [TENANT_ROLE, role],
  )
  for (const prepared of found) {
    const rollBackInside = (inside: SendText) => rollBack(inside, prepared)
    // Whether it helped shows when the role is changed: it may have ended by itself, or its database may be full.
    await entrance.enter(prepared.database, ADMIN_LIMIT_MS, rollBackInside).catch(() => undefined)
  }
  return found.length
}

/** Only the role that prepared it may do so, and a superuser. */
async function rollBack(send: SendText, { gid, owner }: Prepared): Promise<void> {
  await send(`set role ${owner}`)
  await send(`rollback prepared ${gid}`)
  await send('reset role')
}
