import pg from 'pg'
import { createDb, type Db, newInstance } from './db.ts'
import { createListener } from './postgres-listener.ts'

export type PostgresOptions = {
  url: string
  /**
   * Address of the server itself, where `url` leads to a pooler that lends a connection for each transaction. It serves
   * LISTEN and sessions. Statements through `url` then have no names, and their time limit must be one of the role.
   */
  directUrl?: string | undefined
  maxConnections?: number
  /** Settings of every session, in the form of PGOPTIONS. Not for the address of a pooler, which refuses them. */
  options?: string
  statementTimeoutMs?: number
  /** Limit for getting a connection, and for the answer to a LISTEN or a heartbeat. */
  connectTimeoutMs?: number
  /** Interval at which the listening connection checks that the server still answers. */
  heartbeatMs?: number
  /** How long `holdLock` waits for another process to release the lock. */
  lockWaitMs?: number
  onError: (error: unknown) => void
}

const CONNECT_LIMIT_MS = 5_000
const STATEMENT_LIMIT_MS = 10_000
const HEARTBEAT_MS = 20_000
const KEEP_ALIVE_MS = 30_000
/** Sessions are rare: migrations, and locks of a start. */
const DIRECT_CONNECTIONS = 2

export function openPostgres(options: PostgresOptions): Db {
  const instance = newInstance()
  const { url, directUrl, onError, statementTimeoutMs = STATEMENT_LIMIT_MS, maxConnections = 10 } = options
  const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_LIMIT_MS
  const openPool = (connectionString: string, max: number, isDirect: boolean) => {
    const pool = new pg.Pool({
      connectionString,
      max,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      // An index build can be silent for hours; without keep-alive a firewall drops such a connection.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: instance,
      ...(options.options && { options: options.options }),
      // A pooler refuses these in the first message of a connection.
      ...(isDirect && { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: 60_000 }),
    })
    // A server can end a connection in the bytes in which it opens it, before whoever asked for the connection listens.
    pool.on('connect', (client) => void client.on('error', () => {}))
    return pool.on('error', onError)
  }
  const pool = openPool(url, maxConnections, directUrl === undefined)
  const direct = directUrl === undefined ? undefined : openPool(directUrl, DIRECT_CONNECTIONS, true)
  const { heartbeatMs = HEARTBEAT_MS, lockWaitMs } = options
  const limits = { limitMs: connectTimeoutMs, heartbeatMs, lockWaitMs }
  const listener = createListener({ url: directUrl ?? url, instance, onError, ...limits })
  return createDb({
    name: 'postgres',
    instance,
    pool,
    ...(direct && { sessions: direct, isPrepared: false }),
    statementLimitMs: statementTimeoutMs,
    limitStatements: setLocalTimeout,
    limitSession: (client, timeoutMs) => client.query(`set statement_timeout = ${Math.ceil(timeoutMs)}`),
    listen: listener.listen,
    holdLock: listener.hold,
    close: async () => {
      await listener.close()
      await Promise.all([pool.end(), direct?.end()])
    },
  })
}

/** Limits each statement of the current transaction. Undefined keeps the limit of the connection. */
export async function setLocalTimeout(client: pg.PoolClient, timeoutMs: number | undefined): Promise<void> {
  if (timeoutMs !== undefined) await client.query(`set local statement_timeout = ${Math.ceil(timeoutMs)}`)
}
