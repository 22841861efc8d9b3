import { Redis } from 'ioredis'
import type { Clock } from './clock.ts'

/** Holds only what may be lost: counters, replay ids, short caches. */
export type KeyValueStore = AsyncDisposable & {
  readonly kind: 'redis' | 'memory'
  /** Adds one and returns the count, which starts again `seconds` after the first call. */
  count(key: string, seconds: number): Promise<number>
  /** Takes one from each pot, or from none of them. */
  take(pots: readonly Pot[]): Promise<Taken>
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, seconds: number): Promise<void>
  /** True for the first to set it, false for all others until it runs out. */
  setOnce(key: string, seconds: number): Promise<boolean>
  delete(key: string): Promise<void>
  ping(): Promise<void>
}

/**
 * A limit: `limit` may be taken in the `seconds` after the first. A pot that is not there yet starts at `opening`,
 * the number taken before; 'must be known' makes `take` answer `unopened` instead.
 */
export type Pot = { key: string; limit: number; seconds: number; opening: number | 'must be known' }

/** Numbers are positions in the list of pots: the first that is empty, or that needs its `opening`. */
export type Taken = 'taken' | { empty: number } | { unopened: number }

const COUNT = `local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return n`

/** Returns 0 when taken, the position (from 1) of an empty pot, or minus the position of one without `opening`. */
const TAKE = `
  for i = 1, #KEYS do
    local limit, seconds, opening = ARGV[i * 3 - 2], ARGV[i * 3 - 1], ARGV[i * 3]
    local n = redis.call('get', KEYS[i])
    if not n then
      if opening == '' then return -i end
      redis.call('set', KEYS[i], opening, 'EX', seconds)
      n = opening
    end
    if tonumber(n) >= tonumber(limit) then return i end
  end
  for i = 1, #KEYS do redis.call('incr', KEYS[i]) end
  return 0`

class Commands extends Redis {
  declare takeFromAll: (count: number, ...keysAndArguments: (string | number)[]) => Promise<number>
}

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
    take: async (pots) => {
      const limits = pots.flatMap(({ limit, seconds, opening }) => [limit, seconds, opening === MUST ? '' : opening])
      return toTaken(await redis.takeFromAll(pots.length, ...pots.map(({ key }) => key), ...limits))
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

const MUST = 'must be known'

function toTaken(place: number): Taken {
  if (place === 0) return 'taken'
  return place > 0 ? { empty: place - 1 } : { unopened: -place - 1 }
}

const SWEEP_AT = 10_000
const MAX_COUNTERS = 100_000

/**
 * Strangers decide how many counters there are, one for each address block that is refused, so the oldest are dropped
 * beyond MAX_COUNTERS: a limit then begins anew. Nothing else is dropped before its time.
 */
export function openMemoryStore(clock: Clock): KeyValueStore {
  const entries = new Map<string, { value: string; until: number }>()
  const live = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.until > clock.now().getTime() ? entry : undefined
  }
  const counters = new Set<string>()
  const remove = (key: string) => {
    entries.delete(key)
    counters.delete(key)
  }
  const addCounter = (key: string) => {
    counters.delete(key)
    counters.add(key)
    if (counters.size > MAX_COUNTERS) remove(counters.values().next().value!)
  }
  let sweepAt = SWEEP_AT
  const put = (key: string, value: string, until: number) => {
    if (entries.size >= sweepAt) {
      for (const known of entries.keys()) if (!live(known)) remove(known)
      // With many live entries the next sweep waits for many more; otherwise every `put` would sweep.
      sweepAt = Math.max(SWEEP_AT, Math.min(entries.size * 2, entries.size + MAX_COUNTERS))
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
    take: async (pots) => {
      const taken: { key: string; value: number; until: number }[] = []
      for (const [place, { key, limit, seconds, opening }] of pots.entries()) {
        const entry = live(key)
        if (!entry && opening === MUST) return { unopened: place }
        const { value, until } = entry ?? { value: String(opening), until: after(seconds) }
        if (!entry) put(key, value, until)
        if (Number(value) >= limit) return { empty: place }
        taken.push({ key, value: Number(value) + 1, until })
      }
      for (const { key, value, until } of taken) put(key, String(value), until)
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

/** The shared store does not answer, and a guess in its place would be wrong. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
