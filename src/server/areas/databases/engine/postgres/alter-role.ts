import { identifier } from '#lib/db/sql.ts'
import type { SendText } from './entrance.ts'
import { LOCKS_ROLE, rollBackLockers } from './prepared.ts'
import { isLockTimeout, RoleLocked } from './states.ts'
import { type LoginServer, onOwnDatabase } from './template.ts'
import { TENANT_ROLE } from './tenant-role.ts'

const LOCK_LIMIT_MS = 1_000
const MAX_ATTEMPTS = 5
/** Attempts while no tenant holds the lock. The operator's transactions are not ended, and may last. */
const MAX_UNHELPED = 2

/**
 * Changes the login of a tenant's role. An owner may change its own password and leave that transaction open, or prepare
 * it, which locks the role. So this waits a second at most, ends the tenants' sessions and prepared transactions that
 * hold such a lock, and tries again. It uses a connection of its own, because the pool is shared by all tenants.
 */
export async function alterRole(server: LoginServer, role: string, attributes: string): Promise<void> {
  await changeRole(server, role, `alter role ${identifier(role).text} ${attributes}`)
}

/** Drops a tenant's role, in the same way: a tenant that grants it something keeps it locked until the transaction ends. */
export async function dropTenantRole(server: LoginServer, role: string): Promise<void> {
  await changeRole(server, role, `drop role if exists ${identifier(role).text}`)
}

/** The comment on a role whose database was dropped. Any platform on the server may remove such a role. */
export const REMOVED_ROLE = 'svc: its database was dropped, and svc removes this role'

/** Marks the role as one that is to be removed. */
export async function markRole(server: LoginServer, role: string): Promise<void> {
  await changeRole(server, role, `comment on role ${identifier(role).text} is '${REMOVED_ROLE}'`)
}

async function changeRole(server: LoginServer, role: string, statement: string): Promise<void> {
  await onOwnDatabase(server, async (send) => {
    await send(`set lock_timeout = ${LOCK_LIMIT_MS}`)
    let unhelped = 0
    for (let attempt = 1; ; attempt++) {
      try {
        await send(statement)
        return
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        const ended = (await endLockers(send, role)) + (await rollBackLockers(server.entrance, send, role))
        unhelped = ended === 0 ? unhelped + 1 : 0
        if (attempt === MAX_ATTEMPTS || unhelped === MAX_UNHELPED) throw new RoleLocked(role, error)
      }
    }
  })
}

/** Returns how many sessions there were. */
async function endLockers(send: SendText, role: string): Promise<number> {
  const found = await send(
    `select pg_terminate_backend(a.pid) from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
     where ${LOCKS_ROLE} and a.usename ~ $1 and pg_has_role(a.usesysid, 'usage')`,
    [TENANT_ROLE, role],
  )
  return found.length
}
