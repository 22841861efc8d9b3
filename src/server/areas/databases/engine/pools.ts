import type { Duplex } from 'node:stream'
import pg from 'pg'
import { createDb, type Db } from '#lib/db/db.ts'
import { ANSWER_MARGIN_MS } from '#lib/db/deadline.ts'
import { setLocalTimeout } from '#lib/db/postgres.ts'
import { READER } from './engine.ts'
import { createOverdue, type EndBackend } from './overdue.ts'
import { type Reads, readsInTransaction, readsOn } from './reads.ts'

export type ManagedDb = Pick<Db, 'query' | 'tx'> & Reads

export type Pools = {
  /**
   * Returns the pool of the connection string. The pools that were not used for longest are closed. `endBackend` ends the
   * sessions whose answers came too late.
   */
  open(connectionString: string, endBackend?: EndBackend): ManagedDb
  /** Ends the pools of a database that is being dropped. */
  forget(physicalName: string): Promise<void>
  close(): Promise<void>
}

type Options = {
  onError: (error: unknown) => void
  /** How many connections all pools may have together. */
  maxConnections?: number | undefined
  /** All connections to a database share one session, and the engine itself ends what runs too long. */
  oneSession?: boolean
  /** Opens a connection that is used instead of a socket. */
  connection?: (() => Duplex) | undefined
  /** How values are parsed, by default as node-postgres does. */
  types?: pg.CustomTypesConfig | undefined
  /** How long a statement may run, and how long a connection may take to be made or to become free. */
  limitMs?: number
}

/** Connections of this process to one database as one role. */
export const MAX_CONNECTIONS_PER_DATABASE = 3
const MAX_CONNECTIONS = 150
const IDLE_MS = 10_000
const LIFETIME_SECONDS = 300

/** Pools have few connections each and close them soon, because one server may have hundreds of databases. */
export function createPools(options: Options): Pools {
  const { onError, maxConnections = MAX_CONNECTIONS } = options
  const maxPools = Math.max(1, Math.floor(maxConnections / MAX_CONNECTIONS_PER_DATABASE))
  const pools = new Map<string, { pool: pg.Pool; db: ManagedDb }>()
  const end = (pool: pg.Pool) => pool.end().catch(onError)
  return {
    open(connectionString, endBackend) {
      const pooled = pools.get(connectionString)
      if (pooled) pools.delete(connectionString)
      const entry = pooled ?? openPool(connectionString, options, endBackend)
      pools.set(connectionString, entry)
      const [oldest] = pools
      if (pools.size > maxPools && oldest) {
        pools.delete(oldest[0])
        void end(oldest[1].pool)
      }
      return entry.db
    },
    async forget(physicalName) {
      const ending = [...pools].filter(([key]) => new URL(key).pathname === `/${physicalName}`)
      for (const [key] of ending) pools.delete(key)
      await Promise.all(ending.map(([, { pool }]) => end(pool)))
    },
    async close() {
      const all = [...pools.values()]
      pools.clear()
      await Promise.all(all.map(({ pool }) => end(pool)))
    },
  }
}

function openPool(connectionString: string, options: Options, endBackend: EndBackend | undefined) {
  const { onError, oneSession = false, connection, types, limitMs = READER.statementMs } = options
  const overdue = endBackend && createOverdue(new URL(connectionString).username, limitMs, endBackend)
  // The pool waits for what it returns, though its type does not say so.
  const onConnect: ((client: pg.ClientBase) => unknown) | undefined = overdue?.watch
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS_PER_DATABASE,
    connectionTimeoutMillis: limitMs,
    idleTimeoutMillis: IDLE_MS,
    // The settings of a connection depend on indexes, which may be made anew.
    maxLifetimeSeconds: LIFETIME_SECONDS,
    allowExitOnIdle: true,
    application_name: 'svc',
    ...(onConnect && { onConnect }),
    ...(connection && { stream: () => connection() }),
    ...(types && { types }),
    ...(!oneSession && { statement_timeout: limitMs }),
  })
  pool.on('error', onError)
  const db = createDb({
    name: 'postgres',
    pool,
    mayBeReadOnly: true,
    // A tenant's own code runs in these sessions, also while an owner's statement is planned. Where connections share a
    // session, a statement may first wait for its turn.
    ...(oneSession ? { statementLimitMs: 2 * limitMs } : { statementLimitMs: limitMs, isPrepared: false }),
    limitStatements: setLocalTimeout,
    listen: async () => {
      throw new Error('nobody listens on a managed database')
    },
    close: () => pool.end(),
  })
  const reads = oneSession ? readsInTransaction(db) : readsOn(pool, limitMs + ANSWER_MARGIN_MS, overdue)
  return { pool, db: { ...db, reads } }
}
