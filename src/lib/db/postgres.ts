import pg from 'pg'
import { createDb, type Db, type Engine, newInstance } from './db.ts'
import { leaveTransaction } from './transaction-guard.ts'

export type PostgresOptions = {
  url: string
  maxConnections?: number
  statementTimeoutMs?: number
  onError: (error: unknown) => void
}

const CONNECT_LIMIT_MS = 5_000
const RECONNECT_MS = 500

export function openPostgres(options: PostgresOptions): Db {
  const instance = newInstance()
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: instance,
  })
  pool.on('error', options.onError)
  const listener = createListener(options)
  const engine: Engine = {
    name: 'postgres',
    instance,
    pool,
    limitStatements: async (client, timeoutMs) => {
      if (timeoutMs !== undefined) await client.query(`set local statement_timeout = ${Math.ceil(timeoutMs)}`)
    },
    listen: listener.listen,
    close: async () => {
      await listener.close()
      await pool.end()
    },
  }
  return createDb(engine)
}

/** One connection of its own for every channel, since a pooled one forgets its LISTEN when it is released. */
function createListener(options: PostgresOptions) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let current: Promise<pg.Client> | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const tell = (channel: string, payload: string) => {
    for (const onNotify of channels.get(channel) ?? []) leaveTransaction(() => onNotify(payload))
  }
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: options.url,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      application_name: 'svc listen',
      keepAlive: true,
    })
    client.on('notification', (message) => tell(message.channel, message.payload ?? ''))
    client.on('error', options.onError)
    client.on('end', lost)
    await client.connect()
    for (const channel of channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    return client
  }
  const ensureConnected = (): Promise<pg.Client> => {
    current ??= connect()
    return current
  }
  const lost = () => {
    current = undefined
    if (!closed) retry = setTimeout(() => void reconnect(), RECONNECT_MS)
  }
  const reconnect = async () => {
    try {
      await ensureConnected()
      for (const channel of channels.keys()) tell(channel, '')
    } catch (error) {
      options.onError(error)
      clearTimeout(retry)
      lost()
    }
  }
  const send = async (verb: 'listen' | 'unlisten', channel: string) => {
    const client = await ensureConnected()
    await client.query(`${verb} ${pg.escapeIdentifier(channel)}`)
  }
  const listen: Db['listen'] = async (channel, onNotify) => {
    const known = channels.get(channel) ?? new Set()
    channels.set(channel, known.add(onNotify))
    await send('listen', channel)
    return {
      [Symbol.asyncDispose]: async () => {
        if (!known.delete(onNotify)) return
        if (known.size === 0 && channels.delete(channel) && !closed) await send('unlisten', channel)
      },
    }
  }
  const close = async () => {
    closed = true
    clearTimeout(retry)
    await (await current?.catch(() => undefined))?.end()
  }
  return { listen, close }
}
