import { setTimeout as wait } from 'node:timers/promises'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Backend, EndBackend } from '../overdue.ts'

/** Waits before the session is looked for again, 5 seconds together. */
const WAITS_MS = [50, 100, 200, 400, 800, 1_600, 1_600]

/**
 * Ends sessions of tenants on the platform's own connection. Unlike a cancellation, no code in the session can catch
 * this. A session counts as the same only if it began at the same time.
 */
export function createEndBackend(db: Querier, warn: (text: string) => void): EndBackend {
  return async (backend) => {
    let fault = 'it still works'
    for (const waitMs of WAITS_MS) {
      const isGone = await terminate(db, backend).catch((error: unknown) => {
        fault = String(error)
        return false
      })
      if (isGone) return
      await wait(waitMs)
    }
    warn(`The session of ${backend.role} with the process ${backend.pid} could not be ended: ${fault}.`)
  }
}

/** Returns whether the session was gone already. */
async function terminate(db: Querier, { pid, role, startedAt }: Backend): Promise<boolean> {
  const isSame = startedAt === undefined ? sql`true` : sql`extract(epoch from backend_start)::text = ${startedAt}`
  const found = await db.query(sql`
    select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
    where pid = ${pid} and usename = ${role} and ${isSame}`)
  return found.length === 0
}

/** How long a statement of a reader may run before its process counts as dead: many times its own limit. */
const ABANDONED_SECONDS = 120

/** Ends what a reader still runs although the process that asked died, or could not reach the server in time. */
export async function endAbandoned(
  db: Querier,
  { reader_role }: { readonly reader_role: string },
  afterSeconds = ABANDONED_SECONDS,
): Promise<void> {
  await db.query(sql`
    select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
    where usename = ${reader_role} and state = 'active'
      and query_start < clock_timestamp() - make_interval(secs => ${afterSeconds})`)
}
