import type { Clock } from '../time/clock.ts'

export type BoundedCache<K, V> = {
  /** Returns undefined for a key that is missing or expired. A hit saves the entry from the next eviction. */
  get(key: K): V | undefined
  /** Returns the cached value, or makes one and caches it. Nothing is cached when `make` throws. */
  getOrMake(key: K, make: () => V): V
  /** Like `get(key) !== undefined`, but does not count as a hit. */
  has(key: K): boolean
  /** Caches the value in place of any earlier one of the key; its time to live starts now. */
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

type CacheLimits<V> = {
  /** The most entries, or with `sizeOf` the largest sum of their sizes. */
  max: number
  /** Size of a value in the unit of `max`; 1 for every value unless given. */
  sizeOf?: (value: V) => number
  /** How long a value can be used after it was set, by the given clock; without it until the value is evicted. */
  ttl?: { ms: number; clock: Clock }
}

type Entry<V> = { readonly value: V; readonly size: number; readonly until: number; wasHit: boolean }

/**
 * Creates the cache that all of the product uses. To make room it evicts the oldest entry that was not hit since room
 * was last made (second chance): nearly as good as evicting the least recently used one, while a hit costs no more than
 * looking into a Map. A value larger than `max` is not cached.
 *
 * The cache remembers no absences by itself: a caller that wants to remember one caches a value that says so, such as
 * null. Undefined is what `get` returns for nothing, so it cannot be cached.
 */
export function createBoundedCache<K, V>({ max, sizeOf = () => 1, ttl }: CacheLimits<V>): BoundedCache<K, V> {
  /** A Map iterates in the order of insertion, so the oldest entry comes first. */
  const entries = new Map<K, Entry<V>>()
  let total = 0
  const remove = (key: K, { size }: Entry<V>) => {
    entries.delete(key)
    total -= size
  }
  const liveEntry = (key: K) => {
    const entry = entries.get(key)
    if (entry === undefined || ttl === undefined || entry.until > ttl.clock.now().getTime()) return entry
    remove(key, entry)
    return undefined
  }
  // One iterator for all evictions: a new one would pass over everything that was removed before it. It never passes an
  // entry that stays where it is, so it is at the oldest entry whenever it is asked.
  const oldestFirst = entries.entries()
  const makeRoomFor = (size: number) => {
    while (total + size > max) {
      const [key, entry] = oldestFirst.next().value!
      entries.delete(key)
      // Entries that go to the end come round again in this loop, by then without their second chance.
      if (entry.wasHit) entries.set(key, Object.assign(entry, { wasHit: false }))
      else total -= entry.size
    }
  }
  const cache: BoundedCache<K, V> = {
    get(key) {
      const entry = liveEntry(key)
      if (entry === undefined) return undefined
      entry.wasHit = true
      return entry.value
    },
    getOrMake(key, make) {
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const value = make()
      cache.set(key, value)
      return value
    },
    has: (key) => liveEntry(key) !== undefined,
    set(key, value) {
      cache.delete(key)
      const size = sizeOf(value)
      if (size > max) return
      makeRoomFor(size)
      const until = ttl === undefined ? Number.POSITIVE_INFINITY : ttl.clock.now().getTime() + ttl.ms
      entries.set(key, { value, size, until, wasHit: false })
      total += size
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
