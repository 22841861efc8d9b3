import pg from 'pg'
import { createDb, type Db, type Engine, newInstance } from '../db.ts'
import { leaveTransaction } from '../transaction-guard.ts'
import { type EngineOptions, type EngineThread, startEngine } from './engine-thread.ts'
import { WireStream } from './wire-stream.ts'

export type EmbeddedOptions = EngineOptions & ConnectOptions

type ConnectOptions = {
  onError: (error: unknown) => void
  /** How long a caller waits for its turn on the only session. Default: 10 seconds. */
  turnTimeoutMs?: number | undefined
}

/** `dump` writes an archive of the cluster, a tar file, that `archive` of another one can name. */
type EmbeddedDb = Db & { dump(to: string): Promise<void> }

/**
 * Postgres as a library, in a thread of its own, behind the ordinary driver. It has one session, so the pool has
 * one client; it cannot cancel a statement, so the thread of one that runs too long is killed and started again.
 */
export async function openEmbedded({ onError, turnTimeoutMs, ...options }: EmbeddedOptions): Promise<EmbeddedDb> {
  const thread = startEngine(options)
  await thread.opened
  return connectEmbedded(thread, { onError, turnTimeoutMs })
}

/** Returns the database of an engine. Nothing may be asked of it before the engine is open. */
export function connectEmbedded(thread: EngineThread, options: ConnectOptions): EmbeddedDb {
  const { onError, turnTimeoutMs = 10_000 } = options
  // The pool waits for the returned promise before it hands the client out.
  const onConnect = (client: pg.ClientBase): unknown => listening.attach(client)
  const pool = new pg.Pool({
    max: 1,
    stream: () => new WireStream(thread.wire()),
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: turnTimeoutMs,
    idleTimeoutMillis: 0,
    onConnect,
  })
  pool.on('error', onError)
  const listening = createListening(pool)
  const engine: Engine = {
    name: 'embedded',
    instance: newInstance(),
    pool,
    limitStatements: async (_client, timeoutMs) => thread.limit(timeoutMs),
    listen: listening.listen,
    close: async () => {
      await pool.end()
      await thread.close(onError)
    },
  }
  return { ...createDb(engine), dump: (to) => thread.ask({ do: 'dump', to }) }
}

/** LISTEN on the only client. After a restart of the thread it listens again and calls every listener once. */
function createListening(pool: pg.Pool) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let connectedBefore = false
  const tell = (channel: string, payload: string) => {
    for (const onNotify of channels.get(channel) ?? []) leaveTransaction(() => onNotify(payload))
  }
  const attach = async (client: pg.ClientBase) => {
    client.on('notification', (message) => tell(message.channel, message.payload ?? ''))
    for (const channel of channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    if (connectedBefore) for (const channel of channels.keys()) setImmediate(() => tell(channel, ''))
    connectedBefore = true
  }
  const listen: Db['listen'] = async (channel, onNotify) => {
    const listeners = channels.get(channel) ?? new Set()
    channels.set(channel, listeners.add(onNotify))
    await pool.query(`listen ${pg.escapeIdentifier(channel)}`)
    return {
      [Symbol.asyncDispose]: async () => {
        if (!listeners.delete(onNotify)) return
        if (listeners.size === 0 && channels.delete(channel) && !pool.ending) {
          await pool.query(`unlisten ${pg.escapeIdentifier(channel)}`)
        }
      },
    }
  }
  return { attach, listen }
}
