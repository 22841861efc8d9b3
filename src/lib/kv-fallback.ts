import type { Clock } from './clock.ts'
import { type KeyValueStore, StoreUnavailable } from './kv.ts'

export type FallbackOptions = {
  clock: Clock
  /** How long one call to the shared store may take. */
  limitMs?: number
  /** Called when the shared store stops being used, with the error, and when it is used again, without one. */
  onChange?: (cause: unknown) => void
}

const CALL_LIMIT_MS = 300
const PROBE_INTERVAL_MS = 1_000

/**
 * Uses a map in the process while the shared store does not answer: counts are then per process, which is better
 * than no limit and better than no service. `setOnce`, `take` and `delete` throw `StoreUnavailable` instead, because
 * one process alone cannot know who was first or what is left, and cannot remove what the others will read.
 */
export function withFallback(shared: KeyValueStore, own: KeyValueStore, options: FallbackOptions): KeyValueStore {
  const breaker = createBreaker(() => shared.ping(), options)
  const or = <T>(call: () => Promise<T>, instead: () => Promise<T>) => breaker.ask(call).catch(instead)
  return {
    kind: shared.kind,
    count: (key, seconds) =>
      or(
        () => shared.count(key, seconds),
        () => own.count(key, seconds),
      ),
    take: (pots) => breaker.ask(() => shared.take(pots)),
    get: (key) =>
      or(
        () => shared.get(key),
        () => own.get(key),
      ),
    set: (key, value, seconds) =>
      or(
        () => shared.set(key, value, seconds),
        () => own.set(key, value, seconds),
      ),
    setOnce: (key, seconds) => breaker.ask(() => shared.setOnce(key, seconds)),
    delete: async (key) => {
      const deleted = breaker.ask(() => shared.delete(key))
      await Promise.all([deleted, own.delete(key)])
    },
    ping: () => breaker.check(),
    [Symbol.asyncDispose]: async () => {
      await shared[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    },
  }
}

/**
 * Keeps calls away from a store that failed. Pings run beside the calls and let them in again, so that only calls
 * already under way at the moment of the failure ever wait: the first ping at once, in case the failure was a
 * single late answer, then one per `PROBE_INTERVAL_MS` while calls keep coming.
 */
function createBreaker(ping: () => Promise<void>, options: FallbackOptions) {
  const { clock, limitMs = CALL_LIMIT_MS, onChange = () => {} } = options
  let isOpen = false
  let isProbing = false
  let lastProbeAt: number | undefined

  const fail = (cause: unknown) => {
    if (isOpen) return
    isOpen = true
    lastProbeAt = undefined
    onChange(cause)
    probeWhenDue()
  }
  const check = async () => {
    try {
      await within(limitMs, ping())
      if (isOpen) onChange(undefined)
      isOpen = false
    } catch (cause) {
      fail(cause)
      throw cause
    }
  }
  const probeWhenDue = () => {
    const now = clock.now().getTime()
    // The distance in either direction: a clock that is set back must not stop the pings.
    const isDue = lastProbeAt === undefined || Math.abs(now - lastProbeAt) >= PROBE_INTERVAL_MS
    if (isProbing || !isDue) return
    isProbing = true
    lastProbeAt = now
    void check()
      .catch(() => {})
      .finally(() => {
        isProbing = false
      })
  }
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isOpen) {
      probeWhenDue()
      throw new StoreUnavailable('the key-value store did not answer and is not asked until it does')
    }
    try {
      return await within(limitMs, call())
    } catch (cause) {
      fail(cause)
      throw new StoreUnavailable('the key-value store did not answer', { cause })
    }
  }
  return { ask, check }
}

async function within<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const reject = () => late.reject(new Error(`no answer in ${limitMs} ms`))
  // After a long computation the timer runs before the socket is read. `setImmediate` runs after it: an answer that
  // is already there still counts.
  const timer = setTimeout(() => setImmediate(reject), limitMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
