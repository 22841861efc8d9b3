import { Redis } from 'ioredis'
import type { Clock } from './clock.ts'

/** Holds data whose loss does no harm: counters, replay ids, short-lived caches. */
export type KeyValueStore = AsyncDisposable & {
  readonly kind: 'redis' | 'memory'
  /** Adds one and returns the count, which starts again `seconds` after the first call. */
  count(key: string, seconds: number): Promise<number>
  /** Counts one use in each quota window, or in none of them if any is exhausted. */
  take(windows: readonly QuotaWindow[]): Promise<TakeResult>
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, seconds: number): Promise<void>
  /** Returns true for the first caller, false for all others until the key expires. */
  setOnce(key: string, seconds: number): Promise<boolean>
  delete(key: string): Promise<void>
  ping(): Promise<void>
}

/**
 * A quota window: at most `limit` uses in the `seconds` after the first one. A window that does not exist yet starts
 * with `startCount` uses; with 'unknown' it is not created and `take` returns `needsStartCount`.
 */
export type QuotaWindow = { key: string; limit: number; seconds: number; startCount: number | 'unknown' }

/** Says which window refused, by its index: the first that is exhausted or that needs a `startCount`. */
export type TakeResult = 'taken' | { exhausted: number } | { needsStartCount: number }

const COUNT = `local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return n`

/** Returns 0 if counted, the position (from 1) of an exhausted window, or minus that of one that needs a start count. */
const TAKE = `
  for i = 1, #KEYS do
    local limit, seconds, start_count = ARGV[i * 3 - 2], ARGV[i * 3 - 1], ARGV[i * 3]
    local n = redis.call('get', KEYS[i])
    if not n then
      if start_count == '' then return -i end
      redis.call('set', KEYS[i], start_count, 'EX', seconds)
      n = start_count
    end
    if tonumber(n) >= tonumber(limit) then return i end
  end
  for i = 1, #KEYS do redis.call('incr', KEYS[i]) end
  return 0`

class Commands extends Redis {
  declare takeFromAll: (count: number, ...keysAndArguments: (string | number)[]) => Promise<number>
}

/** Connects in the background. Commands fail after 2 s without an answer; `onError` hears of connection errors. */
export function openRedis(url: string, onError: (error: unknown) => void, keyPrefix = 'svc:'): KeyValueStore {
  const redis = new Commands(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 3_000,
    commandTimeout: 2_000,
    // A host that is gone sends no reset: without this the dead connection would be used until TCP gives up.
    socketTimeout: 5_000,
    keyPrefix,
    scripts: { takeFromAll: { lua: TAKE } },
  })
  redis.on('error', onError)
  return {
    kind: 'redis',
    count: async (key, seconds) => Number(await redis.eval(COUNT, 1, key, seconds)),
    take: async (windows) => {
      const limits = windows.flatMap(({ limit, seconds, startCount }) => [
        limit,
        seconds,
        startCount === UNKNOWN ? '' : startCount,
      ])
      return toTakeResult(await redis.takeFromAll(windows.length, ...windows.map(({ key }) => key), ...limits))
    },
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

const UNKNOWN = 'unknown'

function toTakeResult(position: number): TakeResult {
  if (position === 0) return 'taken'
  return position > 0 ? { exhausted: position - 1 } : { needsStartCount: -position - 1 }
}

const MIN_ENTRIES_TO_SWEEP = 10_000
const MAX_COUNTERS = 100_000

/**
 * Keeps everything in this process. Anonymous callers decide how many counters there are (one for each refused address
 * block), so the oldest counters are dropped beyond MAX_COUNTERS and their limits start again at zero. Other entries
 * stay until they expire.
 */
export function openMemoryStore(clock: Clock): KeyValueStore {
  const entries = new Map<string, { value: string; until: number }>()
  const live = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.until > clock.now().getTime() ? entry : undefined
  }
  const counters = new Set<string>()
  // One iterator for all removals: a new one would pass over everything that was removed before it.
  const oldestFirst = counters.values()
  const remove = (key: string) => {
    entries.delete(key)
    counters.delete(key)
  }
  const addCounter = (key: string) => {
    counters.delete(key)
    counters.add(key)
    if (counters.size > MAX_COUNTERS) remove(oldestFirst.next().value!)
  }
  let sweepAtSize = MIN_ENTRIES_TO_SWEEP
  const put = (key: string, value: string, until: number) => {
    if (entries.size >= sweepAtSize) {
      for (const storedKey of entries.keys()) if (!live(storedKey)) remove(storedKey)
      // With many live entries the next sweep waits for many more; otherwise every `put` would sweep.
      sweepAtSize = Math.max(MIN_ENTRIES_TO_SWEEP, Math.min(entries.size * 2, entries.size + MAX_COUNTERS))
    }
    entries.set(key, { value, until })
  }
  const after = (seconds: number) => clock.now().getTime() + seconds * 1000
  return {
    kind: 'memory',
    count: async (key, seconds) => {
      const before = live(key)
      if (!before) addCounter(key)
      const next = Number(before?.value ?? 0) + 1
      put(key, String(next), before?.until ?? after(seconds))
      return next
    },
    take: async (windows) => {
      const counted: { key: string; value: number; until: number }[] = []
      for (const [index, { key, limit, seconds, startCount }] of windows.entries()) {
        const entry = live(key)
        if (!entry && startCount === UNKNOWN) return { needsStartCount: index }
        const { value, until } = entry ?? { value: String(startCount), until: after(seconds) }
        if (!entry) put(key, value, until)
        if (Number(value) >= limit) return { exhausted: index }
        counted.push({ key, value: Number(value) + 1, until })
      }
      for (const { key, value, until } of counted) put(key, String(value), until)
      return 'taken'
    },
    get: async (key) => live(key)?.value,
    set: async (key, value, seconds) => put(key, value, after(seconds)),
    setOnce: async (key, seconds) => {
      if (live(key)) return false
      put(key, '1', after(seconds))
      return true
    },
    delete: async (key) => remove(key),
    ping: async () => {},
    [Symbol.asyncDispose]: async () => {
      entries.clear()
      counters.clear()
    },
  }
}

/** Thrown when the shared store does not answer and no answer of this process could stand in for it. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
