import type { Clock } from '../time/clock.ts'

/** Holds data whose loss does no harm: counters, replay ids, short-lived caches. */
export type KeyValueStore = AsyncDisposable & {
  readonly kind: 'redis' | 'memory'
  /** Adds one and returns the count, which starts again `seconds` after the first call. */
  count(key: string, seconds: number): Promise<number>
  /** Counts a use in every quota window, or in none of them and returns why. */
  take(windows: readonly QuotaWindow[]): Promise<QuotaRefusal | undefined>
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

/** The index of the first window that is exhausted or needs a `startCount`. */
export type QuotaRefusal = { exhausted: number } | { needsStartCount: number }

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
        if (!entry && startCount === 'unknown') return { needsStartCount: index }
        const { value, until } = entry ?? { value: String(startCount), until: after(seconds) }
        if (!entry) put(key, value, until)
        if (Number(value) >= limit) return { exhausted: index }
        counted.push({ key, value: Number(value), until })
      }
      for (const { key, value, until } of counted) put(key, String(value + 1), until)
      return undefined
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
