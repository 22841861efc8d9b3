import type { Connection } from './connection.ts'

export interface KeptConnections extends AsyncDisposable {
  /** Time in milliseconds, from any fixed moment. */
  readonly now: () => number
  /** Returns an open connection for this URL, which nobody else gets meanwhile, or undefined. */
  readonly take: (url: URL) => Connection | undefined
  /** Keeps a connection for the next request to the same URL, or closes it. */
  readonly put: (url: URL, connection: Connection) => void
}

/** A connection is used this long after its address was vetted. Then the name is resolved and vetted anew. */
const MAX_VETTED_MS = 30_000
/**
 * Short, because some servers close idle connections after two seconds without notice. A request that meets the close
 * ends with nobody knowing whether it arrived.
 */
const MAX_IDLE_MS = 1_000
const MAX_KEPT_CONNECTIONS = 256

interface Options {
  now?: () => number
  maxConnections?: number
}

interface Idle {
  readonly url: string
  readonly connection: Connection
  readonly until: number
}

/**
 * Keeps connections between requests. They are kept by the whole URL: receivers of different URLs never share one, so
 * that an answer sent too early by one receiver cannot be taken for the answer of another.
 */
export function createKeptConnections(options: Options = {}): KeptConnections {
  const { now = () => performance.now(), maxConnections = MAX_KEPT_CONNECTIONS } = options
  /** Oldest first. */
  const all = new Set<Idle>()
  const byUrl = new Map<string, Idle[]>()
  let sweepTimer: NodeJS.Timeout | undefined
  let isStopped = false
  const remove = (one: Idle) => {
    all.delete(one)
    const same = byUrl.get(one.url)!
    same.splice(same.lastIndexOf(one), 1)
    if (same.length === 0) byUrl.delete(one.url)
  }
  const close = async (one: Idle) => {
    remove(one)
    await one.connection.client.destroy()
  }
  /** One timer for all, because setting one for each request costs more than keeping a few connections a bit longer. */
  const sweepLater = () => {
    sweepTimer ??= setTimeout(sweep, MAX_IDLE_MS).unref()
  }
  const sweep = () => {
    sweepTimer = undefined
    for (const one of all) if (one.until <= now()) void close(one)
    if (all.size > 0) sweepLater()
  }
  return {
    now,
    take: ({ href }) => {
      for (;;) {
        const newest = byUrl.get(href)?.at(-1)
        if (!newest) return undefined
        remove(newest)
        if (newest.connection.isUsable() && now() < newest.until) return newest.connection
        void newest.connection.client.destroy()
      }
    },
    put: ({ href }, connection) => {
      const until = Math.min(connection.openedAt + MAX_VETTED_MS, now() + MAX_IDLE_MS)
      if (isStopped || until <= now() || !connection.isUsable()) return void connection.client.destroy()
      const one: Idle = { url: href, connection, until }
      all.add(one)
      const others = byUrl.get(href)
      if (others) others.push(one)
      else byUrl.set(href, [one])
      sweepLater()
      if (all.size > maxConnections) void close(all.values().next().value!)
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true
      clearTimeout(sweepTimer)
      await Promise.all([...all].map(close))
    },
  }
}
