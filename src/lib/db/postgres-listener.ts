import pg from 'pg'
import type { Db } from './db.ts'
import { withDeadline } from './deadline.ts'
import { leaveTransaction } from './transaction-guard.ts'

type Options = {
  url: string
  /** How long connecting, and each statement, may take. */
  limitMs: number
  heartbeatMs: number
  onError: (error: unknown) => void
}

const RECONNECT_MS = 500

/**
 * Listens to all channels on one connection outside the pool, because a released connection loses its LISTEN. The
 * connection only receives, so a regular heartbeat is what notices a server that is gone.
 */
export function createListener({ url, limitMs, heartbeatMs, onError }: Options) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let current: Promise<pg.Client> | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

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
      application_name: 'svc listen',
      keepAlive: true,
    })
    client.on('notification', (message) => notify(message.channel, message.payload ?? ''))
    client.on('error', onError)
    client.on('end', lost)
    await client.connect()
    for (const channel of channels.keys()) await send(client, `listen ${pg.escapeIdentifier(channel)}`)
    beat(client)
    return client
  }
  /** A heartbeat without an answer destroys the connection, and its `end` connects again. */
  const beat = (client: pg.Client) => {
    let timer: NodeJS.Timeout
    const ask = async () => {
      await send(client, 'select 1')
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
  const close = async () => {
    closed = true
    clearTimeout(retry)
    const client = await current?.catch(() => undefined)
    if (client) await withDeadline(client, limitMs, () => client.end())
  }
  return { listen, close }
}
