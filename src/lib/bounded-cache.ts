import type { Clock } from './clock.ts'

export type BoundedCache<K, V> = {
  /** Returns undefined for a key that is missing or expired. A hit makes the entry the most recently used one. */
  get(key: K): V | undefined
  /** Returns the cached value, or makes one and caches it. Nothing is cached when `make` throws. */
  getOrMake(key: K, make: () => V): V
  /** Like `get(key) !== undefined`, but leaves the order of eviction as it is. */
  has(key: K): boolean
  /** Caches the value in place of any earlier one of the key; its time to live starts now. */
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

export type CacheLimits<V> = {
  /** The most entries, or with `sizeOf` the largest sum of their sizes. */
  max: number
  /** Size of a value in the unit of `max`; 1 for every value unless given. */
  sizeOf?: (value: V) => number
  /** How long a value can be used after it was set, by the given clock; without it until the value is evicted. */
  ttl?: { ms: number; clock: Clock }
}

type Entry<V> = { readonly value: V; readonly size: number; readonly until: number }

/**
 * Creates the cache that all of the product uses. Beyond its limit the least recently used entries are evicted.
 * There are no negative entries by themselves: a caller that wants to remember an absence caches a value that says so.
 */
export function createBoundedCache<K, V extends {} | null>({ max, sizeOf, ttl }: CacheLimits<V>): BoundedCache<K, V> {
  // A Map iterates in the order of insertion, and each hit inserts anew, so the first key is the least recently used.
  const entries = new Map<K, Entry<V>>()
  let total = 0
  const isLive = ({ until }: Entry<V>) => ttl === undefined || until > ttl.clock.now().getTime()
  const remove = (key: K, { size }: Entry<V>) => {
    entries.delete(key)
    total -= size
  }
  const evictBeyondLimit = () => {
    for (const [key, entry] of entries) {
      if (total <= max) return
      remove(key, entry)
    }
  }
  const cache: BoundedCache<K, V> = {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (!isLive(entry)) {
        remove(key, entry)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    getOrMake(key, make) {
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const value = make()
      cache.set(key, value)
      return value
    },
    has(key) {
      const entry = entries.get(key)
      return entry !== undefined && isLive(entry)
    },
    set(key, value) {
      cache.delete(key)
      const size = sizeOf === undefined ? 1 : sizeOf(value)
      const until = ttl === undefined ? Number.POSITIVE_INFINITY : ttl.clock.now().getTime() + ttl.ms
      entries.set(key, { value, size, until })
      total += size
      evictBeyondLimit()
    },
    delete(key) {
      const entry = entries.get(key)
      if (entry !== undefined) remove(key, entry)
    },
    clear() {
      entries.clear()
      total = 0
    },
  }
  return cache
}

/**
 * Loads the value of a key once for all who ask while it loads (single flight), and caches it. Failures are not cached,
 * nor are values that `keep` refuses. The time to live starts with the load. A `delete` or `clear` during the load wins:
 * those who waited get the value, later ones load anew.
 */
export function loadOnce<K, V>(
  cache: BoundedCache<K, Promise<V>>,
  key: K,
  load: () => Promise<V>,
  keep: (value: V) => boolean = () => true,
): Promise<V> {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const loading = load()
  cache.set(key, loading)
  // The key may have been set again meanwhile, and that later value stays.
  const forget = () => {
    if (cache.get(key) === loading) cache.delete(key)
  }
  loading.then((value) => {
    if (!keep(value)) forget()
  }, forget)
  return loading
}
