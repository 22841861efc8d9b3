import { ServiceError } from '#contract/core/errors.ts'
import { identifier } from '#lib/db/sql.ts'
import type { SendText } from './entrance.ts'
import { isLockTimeout } from './states.ts'
import { onOwnDatabase, type Server } from './template.ts'
import { TENANT_ROLE } from './tenant-role.ts'

type LoginServer = Pick<Server, 'db' | 'entrance'>

const LOCK_LIMIT_MS = 1_000
const MAX_ATTEMPTS = 5

/**
 * Changes the login of a tenant's role. An owner may change its own password and leave that transaction open, which
 * locks the role. So this waits a second at most, ends the sessions that hold such a lock, and tries again. It uses a
 * connection of its own, because the pool is shared by all tenants.
 */
export async function alterRole(server: LoginServer, role: string, attributes: string): Promise<void> {
  await changeRole(server, role, `alter role ${identifier(role).text} ${attributes}`)
}

/** Drops a tenant's role, in the same way: a tenant that grants it something keeps it locked until the transaction ends. */
export async function dropTenantRole(server: LoginServer, role: string): Promise<void> {
  await changeRole(server, role, `drop role if exists ${identifier(role).text}`)
}

async function changeRole(server: LoginServer, role: string, statement: string): Promise<void> {
  await onOwnDatabase(server, async (send) => {
    await send(`set lock_timeout = ${LOCK_LIMIT_MS}`)
    for (let attempt = 1; ; attempt++) {
      try {
        await send(statement)
        return
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        if (attempt === MAX_ATTEMPTS) throw roleLocked(role, error)
        await endLockers(send, role)
      }
    }
  })
}

/**
 * Changing a role keeps the first of these locks until the end of the transaction, granting it something the second.
 * Nothing else that a tenant may do takes the first.
 */
async function endLockers(send: SendText, role: string): Promise<void> {
  await send(
    `select pg_terminate_backend(a.pid) from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
     where (l.locktype = 'relation' and l.relation = 'pg_catalog.pg_authid'::regclass and l.mode = 'RowExclusiveLock'
            or l.locktype = 'object' and l.classid = 'pg_catalog.pg_authid'::regclass
               and l.objid = (select oid from pg_catalog.pg_roles where rolname = $2))
       and a.usename ~ $1 and pg_has_role(a.usesysid, 'usage')`,
    [TENANT_ROLE, role],
  )
}

function roleLocked(role: string, cause: unknown): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `The role ${role} cannot be changed now, because a transaction keeps it locked. Try again later.`,
    { cause, retryAfterSeconds: 60 },
  )
}
