import pg from 'pg'
import type { Db } from './db.ts'
import { withDeadline } from './deadline.ts'
import { type HeldLock, LockTaken, type SessionLock, takeSessionLock } from './session-lock.ts'
import { leaveTransaction } from './transaction-guard.ts'

type Options = {
  url: string
  /** Name of the pool. The listening connection has it in its own, so that the server shows which processes live. */
  instance: string
  /** How long connecting, and each statement, may take. */
  limitMs: number
  heartbeatMs: number
  /** How long to wait for a lock that another process holds. */
  lockWaitMs?: number | undefined
  onError: (error: unknown) => void
}

/** Ends the `application_name` of a listening connection, after the name of its pool. */
export const LISTENING = ' listen'
const RECONNECT_MS = 500
const LOCK_WAIT_MS = 3_000
const LOCK_POLL_MS = 200

/**
 * Lets the server notice within half a minute that the machine at the other end is gone. By default it takes two hours,
 * for which the session would keep its lock.
 */
const NOTICE_DEAD_CLIENT = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

/** Thrown where the connection that must reach Postgres itself is one to a pooler. */
export class PoolerRefused extends Error {
  override readonly name = 'PoolerRefused'
  override readonly message = 'the address leads to a pooler such as PgBouncer'
}

/**
 * Listens to all channels on one connection outside the pool, because a released connection loses its LISTEN. The
 * connection only receives, so a regular heartbeat is what notices a server that is gone. The same connection holds the
 * lock of this process.
 */
export function createListener({ url, instance, limitMs, heartbeatMs, lockWaitMs = LOCK_WAIT_MS, onError }: Options) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let current: Promise<pg.Client> | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let lock: SessionLock | undefined
  let lostLock: LockTaken | undefined

  const notify = (channel: string, payload: string) => {
    for (const onNotify of channels.get(channel) ?? []) leaveTransaction(() => onNotify(payload))
  }
  let lastSent: Promise<unknown> = Promise.resolve()
  /** Sends one statement at a time: the driver warns of statements that are queued on a busy connection. */
  const send = (client: pg.Client, text: string) => {
    const sent = lastSent.then(() => withDeadline(client, limitMs, () => client.query(text)))
    lastSent = sent.catch(() => undefined)
    return sent
  }
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: limitMs,
      application_name: `${instance}${LISTENING}`,
      keepAlive: true,
    })
    client.on('notification', (message) => notify(message.channel, message.payload ?? ''))
    client.on('error', onError)
    client.on('end', lost)
    await client.connect()
    await refusePooler(client)
    await send(client, NOTICE_DEAD_CLIENT)
    for (const channel of channels.keys()) await send(client, `listen ${pg.escapeIdentifier(channel)}`)
    await takeLockAgain(client)
    beat(client)
    return client
  }
  /** A pooler has process ids of its own. Behind one LISTEN hears nothing, and a lock may belong to anybody. */
  const refusePooler = async (client: pg.Client & { processID?: number }) => {
    const { rows } = await send(client, 'select pg_backend_pid() as pid')
    if ((rows as { pid: number }[])[0]!.pid === client.processID) return
    await client.end()
    throw new PoolerRefused()
  }
  /** The server releases a lock when its connection ends, so every new connection takes it again. */
  const takeLockAgain = async (client: pg.Client) => {
    if (!lock) return
    try {
      await takeSessionLock((text) => send(client, text), lock)
      lostLock = undefined
    } catch (error) {
      if (!(error instanceof LockTaken)) throw error
      if (!lostLock) onError(error)
      lostLock = error
    }
  }
  /** A heartbeat without an answer destroys the connection, and its `end` connects again. */
  const beat = (client: pg.Client) => {
    let timer: NodeJS.Timeout
    const ask = async () => {
      if (lostLock) await takeLockAgain(client)
      else await send(client, 'select 1')
      schedule()
    }
    const schedule = () => {
      timer = setTimeout(() => void ask().catch(() => undefined), heartbeatMs)
      timer.unref()
    }
    schedule()
    client.once('end', () => clearTimeout(timer))
  }
  const ensureConnected = (): Promise<pg.Client> => {
    current ??= connect()
    return current
  }
  const lost = () => {
    current = undefined
    clearTimeout(retry)
    if (!closed) retry = setTimeout(() => void reconnect(), RECONNECT_MS)
  }
  const reconnect = async () => {
    try {
      await ensureConnected()
      for (const channel of channels.keys()) notify(channel, '')
    } catch (error) {
      onError(error)
      lost()
    }
  }
  const tell = async (verb: 'listen' | 'unlisten', channel: string) => {
    await send(await ensureConnected(), `${verb} ${pg.escapeIdentifier(channel)}`)
  }
  const listen: Db['listen'] = async (channel, onNotify) => {
    const callbacks = channels.get(channel) ?? new Set()
    channels.set(channel, callbacks.add(onNotify))
    await tell('listen', channel)
    return {
      [Symbol.asyncDispose]: async () => {
        if (!callbacks.delete(onNotify)) return
        if (callbacks.size === 0 && channels.delete(channel) && !closed) await tell('unlisten', channel)
      },
    }
  }
  /** Waits some seconds for a process that is about to end, then throws LockTaken. */
  const hold = async (requestedLock: SessionLock): Promise<HeldLock> => {
    const giveUpAt = performance.now() + lockWaitMs
    for (;;) {
      const client = await ensureConnected()
      try {
        await takeSessionLock((text) => send(client, text), requestedLock)
        break
      } catch (error) {
        if (!(error instanceof LockTaken) || performance.now() > giveUpAt) throw error
        await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
      }
    }
    lock = requestedLock
    return {
      check: () => {
        if (lostLock) throw lostLock
      },
    }
  }
  const close = async () => {
    closed = true
    clearTimeout(retry)
    const client = await current?.catch(() => undefined)
    if (client) await withDeadline(client, limitMs, () => client.end())
  }
  return { listen, hold, close }
}
