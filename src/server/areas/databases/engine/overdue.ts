import type pg from 'pg'
import { withDeadline } from '#lib/db/deadline.ts'
import { leaveTransaction } from '#lib/db/transaction-guard.ts'

/** One session of a server. `startedAt` tells it from a later one whose process got the same number. */
export type Backend = {
  readonly role: string
  readonly pid: number
  /** Seconds since 1970, as Postgres writes them. Undefined if the session did not say. */
  readonly startedAt: string | undefined
}

/** Ends the session on its server, however busy it is, and returns when it is gone or was tried often enough. */
export type EndBackend = (backend: Backend) => Promise<void>

export type Overdue = {
  /** To be called with each new connection, before the first statement. */
  readonly watch: (client: pg.ClientBase) => Promise<void>
  /** Returns when the session of a connection whose answer came too late is gone. Undefined: no answer was late. */
  endOf(client: pg.ClientBase): Promise<void> | undefined
}

// Names are qualified, because an owner can set the search path of its own role.
const STARTED_AT = `
  select extract(epoch from backend_start)::pg_catalog.text as started_at
  from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())`

/**
 * Ends the sessions of connections that were given up because the answer did not come in time. A function of a tenant
 * can catch the cancellation of its statement and go on, and its session does not notice that nobody listens.
 */
export function createOverdue(role: string, limitMs: number, end: EndBackend): Overdue {
  const endings = new WeakMap<pg.ClientBase, Promise<void>>()
  return {
    watch: async (client) => {
      const startedAt = await readStart(client, limitMs)
      client.on('error', (error) => {
        const { processID: pid } = client as { processID?: number | null }
        if (!isLate(error) || !pid) return
        const ending = leaveTransaction(() => end({ role, pid, startedAt }))
        endings.set(client, ending)
      })
    },
    endOf: (client) => endings.get(client),
  }
}

/** A connection that fails here fails again at its first statement, with the reason. */
async function readStart(client: pg.ClientBase, limitMs: number): Promise<string | undefined> {
  try {
    const { rows } = await withDeadline(client as pg.PoolClient, limitMs, () =>
      client.query<{ started_at: string }>(STARTED_AT),
    )
    return rows[0]?.started_at ?? undefined
  } catch {
    return undefined
  }
}

function isLate(error: Error): boolean {
  return 'code' in error && error.code === 'ETIMEDOUT'
}
