import pg from 'pg'
import { createDb, type Db, newInstance } from './db.ts'
import { createListener } from './postgres-listener.ts'

export type PostgresOptions = {
  url: string
  maxConnections?: number
  statementTimeoutMs?: number
  /** Limit for getting a connection, and for the answer to a LISTEN or a heartbeat. */
  connectTimeoutMs?: number
  /** Interval at which the listening connection checks that the server still answers. */
  heartbeatMs?: number
  onError: (error: unknown) => void
}

const CONNECT_LIMIT_MS = 5_000
const STATEMENT_LIMIT_MS = 10_000
const HEARTBEAT_MS = 15_000
const KEEP_ALIVE_MS = 30_000

export function openPostgres(options: PostgresOptions): Db {
  const instance = newInstance()
  const { url, onError, statementTimeoutMs = STATEMENT_LIMIT_MS } = options
  const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_LIMIT_MS
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    // An index build can be silent for hours; without keep-alive a firewall drops such a connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    application_name: instance,
  })
  pool.on('error', onError)
  const limits = { limitMs: connectTimeoutMs, heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS }
  const listener = createListener({ url, onError, ...limits })
  return createDb({
    name: 'postgres',
    instance,
    pool,
    statementLimitMs: statementTimeoutMs,
    limitStatements: setLocalTimeout,
    limitSession: (client, timeoutMs) => client.query(`set statement_timeout = ${Math.ceil(timeoutMs)}`),
    listen: listener.listen,
    close: async () => {
      await listener.close()
      await pool.end()
    },
  })
}

/** Limits each statement of the current transaction. Undefined keeps the limit of the connection. */
export async function setLocalTimeout(client: pg.PoolClient, timeoutMs: number | undefined): Promise<void> {
  if (timeoutMs !== undefined) await client.query(`set local statement_timeout = ${Math.ceil(timeoutMs)}`)
}
