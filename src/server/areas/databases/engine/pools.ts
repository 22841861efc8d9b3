import type { Duplex } from 'node:stream'
import pg from 'pg'
import { createDb, type Db } from '#lib/db/db.ts'
import { ANSWER_MARGIN_MS } from '#lib/db/deadline.ts'
import { setLocalTimeout } from '#lib/db/postgres.ts'
import { READER } from './engine.ts'
import { type Reads, readsInTransaction, readsOn } from './reads.ts'

export type ManagedDb = Pick<Db, 'query' | 'tx'> & Reads

export type Pools = {
  /** The same pool for the same connection string, as long as it is used now and then. */
  open(connectionString: string): ManagedDb
  /** Ends those of a database that is going away. */
  forget(physicalName: string): Promise<void>
  close(): Promise<void>
}

type Options = {
  onError: (error: unknown) => void
  kept?: number
  /** All connections to a database share one session, and the engine itself ends what runs too long. */
  oneSession?: boolean
  /** Makes a connection in place of a socket. */
  connection?: (() => Duplex) | undefined
  /** How values are parsed; as node-postgres does where nothing is said. */
  types?: pg.CustomTypesConfig | undefined
  /** How long a statement may run, and how long a connection may take to be made or to become free. */
  limitMs?: number
}

const PER_DATABASE = 3
const KEPT = 50
const IDLE_MS = 10_000
const LIFETIME_SECONDS = 300

/** Few connections each and not for long: there may be hundreds of databases behind one server. */
export function createPools(options: Options): Pools {
  const { onError, kept = KEPT } = options
  const pools = new Map<string, { pool: pg.Pool; db: ManagedDb }>()
  const end = (pool: pg.Pool) => pool.end().catch(onError)
  return {
    open(connectionString) {
      const known = pools.get(connectionString)
      if (known) pools.delete(connectionString)
      const entry = known ?? openPool(connectionString, options)
      pools.set(connectionString, entry)
      const [oldest] = pools
      if (pools.size > kept && oldest) {
        pools.delete(oldest[0])
        void end(oldest[1].pool)
      }
      return entry.db
    },
    async forget(physicalName) {
      const gone = [...pools].filter(([key]) => new URL(key).pathname === `/${physicalName}`)
      for (const [key] of gone) pools.delete(key)
      await Promise.all(gone.map(([, { pool }]) => end(pool)))
    },
    async close() {
      const all = [...pools.values()]
      pools.clear()
      await Promise.all(all.map(({ pool }) => end(pool)))
    },
  }
}

function openPool(connectionString: string, options: Options): { pool: pg.Pool; db: ManagedDb } {
  const { onError, oneSession = false, connection, types, limitMs = READER.statementMs } = options
  const pool = new pg.Pool({
    connectionString,
    max: PER_DATABASE,
    connectionTimeoutMillis: limitMs,
    idleTimeoutMillis: IDLE_MS,
    // The settings of a connection depend on indexes, which may be made anew.
    maxLifetimeSeconds: LIFETIME_SECONDS,
    allowExitOnIdle: true,
    application_name: 'svc',
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
  const reads = oneSession ? readsInTransaction(db) : readsOn(pool, limitMs + ANSWER_MARGIN_MS)
  return { pool, db: { ...db, reads } }
}
