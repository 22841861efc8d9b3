import { Redis } from 'ioredis'
import type { Clock } from './clock.ts'

/** Holds only what may be lost: counters, replay ids, short caches. */
export type KeyValueStore = AsyncDisposable & {
  readonly kind: 'redis' | 'memory'
  /** Adds one; the count begins anew `seconds` after its first. */
  count(key: string, seconds: number): Promise<number>
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, seconds: number): Promise<void>
  /** True for the first to set it, false for all others until it runs out. */
  setOnce(key: string, seconds: number): Promise<boolean>
  delete(key: string): Promise<void>
  ping(): Promise<void>
}

const COUNT = `local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return n`

export function openRedis(url: string, onError: (error: unknown) => void, keyPrefix = 'svc:'): KeyValueStore {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 3_000,
    commandTimeout: 2_000,
    // What is asked in one turn goes out in one write.
    enableAutoPipelining: true,
    keyPrefix,
  })
  redis.on('error', onError)
  return {
    kind: 'redis',
    count: async (key, seconds) => Number(await redis.eval(COUNT, 1, key, seconds)),
    get: async (key) => (await redis.get(key)) ?? undefined,
    set: async (key, value, seconds) => {
      await redis.set(key, value, 'EX', seconds)
    },
    setOnce: async (key, seconds) => (await redis.set(key, '1', 'EX', seconds, 'NX')) === 'OK',
    delete: async (key) => {
      await redis.del(key)
    },
    ping: async () => {
      await redis.ping()
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  }
}

const SWEEP_AT = 10_000

export function openMemoryStore(clock: Clock): KeyValueStore {
  const entries = new Map<string, { value: string; until: number }>()
  const live = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.until > clock.now().getTime() ? entry : undefined
  }
  let sweepAt = SWEEP_AT
  const put = (key: string, value: string, until: number) => {
    if (entries.size >= sweepAt) {
      for (const known of entries.keys()) if (!live(known)) entries.delete(known)
      // Where many live, not at every one that comes after.
      sweepAt = Math.max(SWEEP_AT, entries.size * 2)
    }
    entries.set(key, { value, until })
  }
  const after = (seconds: number) => clock.now().getTime() + seconds * 1000
  return {
    kind: 'memory',
    count: async (key, seconds) => {
      const before = live(key)
      const next = Number(before?.value ?? 0) + 1
      put(key, String(next), before?.until ?? after(seconds))
      return next
    },
    get: async (key) => live(key)?.value,
    set: async (key, value, seconds) => put(key, value, after(seconds)),
    setOnce: async (key, seconds) => {
      if (live(key)) return false
      put(key, '1', after(seconds))
      return true
    },
    delete: async (key) => {
      entries.delete(key)
    },
    ping: async () => {},
    [Symbol.asyncDispose]: async () => entries.clear(),
  }
}

/** The shared store cannot be asked, and guessing would be wrong. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/**
 * Goes on with a map in the process while the shared store is away: counts are then per process, which is better
 * than no limit and better than no service. Not so `setOnce`: without the others it cannot say who was first.
 */
export function withFallback(shared: KeyValueStore, own: KeyValueStore): KeyValueStore {
  const or = <T>(ask: Promise<T>, instead: () => Promise<T>) => ask.catch(instead)
  return {
    kind: shared.kind,
    count: (key, seconds) => or(shared.count(key, seconds), () => own.count(key, seconds)),
    get: (key) => or(shared.get(key), () => own.get(key)),
    set: (key, value, seconds) => or(shared.set(key, value, seconds), () => own.set(key, value, seconds)),
    setOnce: (key, seconds) =>
      shared.setOnce(key, seconds).catch((cause: unknown) => {
        throw new StoreUnavailable('the key-value store cannot be asked', { cause })
      }),
    delete: (key) => or(shared.delete(key), () => own.delete(key)),
    ping: () => shared.ping(),
    [Symbol.asyncDispose]: async () => {
      await shared[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    },
  }
}
