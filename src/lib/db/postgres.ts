import pg from 'pg'
import { createDb, type Db, newInstance } from './db.ts'
import { createListener } from './postgres-listener.ts'

export type PostgresOptions = {
  url: string
  maxConnections?: number
  statementTimeoutMs?: number
  /** How long a connection may take to be made or to become free, and the server to answer a LISTEN or a heartbeat. */
  connectTimeoutMs?: number
  /** How often the connection that listens asks whether the server is still there. */
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
    // A build of an index can be silent for hours, and a firewall would drop its connection.
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

/** Sets the limit of each statement of the current transaction; undefined leaves that of the connection. */
export async function setLocalTimeout(client: pg.PoolClient, timeoutMs: number | undefined): Promise<void> {
  if (timeoutMs !== undefined) await client.query(`set local statement_timeout = ${Math.ceil(timeoutMs)}`)
}
