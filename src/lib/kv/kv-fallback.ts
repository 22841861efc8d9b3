import { within } from '../async/race.ts'
import type { Clock } from '../time/clock.ts'
import { type KeyValueStore, StoreUnavailable } from './kv.ts'

type FallbackOptions = {
  clock: Clock
  /** Maximum duration of one call to the shared store. */
  limitMs?: number
  /** Called when the shared store stops being used, with the error, and when it is used again, without one. */
  onChange?: (cause: unknown) => void
}

const CALL_LIMIT_MS = 300
const PROBE_INTERVAL_MS = 1_000

/**
 * Uses the store of this process while the shared store does not answer. Limits are then counted per process, so that
 * requests are still served and still limited. `setOnce`, `take` and `delete` throw `StoreUnavailable` instead, because
 * one process cannot know who was first or how much is left, and cannot delete what other processes will read.
 */
export function withFallback(shared: KeyValueStore, own: KeyValueStore, options: FallbackOptions): KeyValueStore {
  const breaker = createBreaker(() => shared.ping(), options)
  const withBackup = <T>(call: (store: KeyValueStore) => Promise<T>) =>
    breaker.ask(() => call(shared)).catch(() => call(own))
  return {
    kind: shared.kind,
    count: (key, seconds) => withBackup((store) => store.count(key, seconds)),
    take: (windows) => breaker.ask(() => shared.take(windows)),
    get: (key) => withBackup((store) => store.get(key)),
    set: (key, value, seconds) => withBackup((store) => store.set(key, value, seconds)),
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
 * A circuit breaker: after a failure, calls are refused without waiting until a ping succeeds. The first ping is sent
 * at once, in case the failure was a single late answer, then one per `PROBE_INTERVAL_MS` while calls keep coming.
 */
function createBreaker(ping: () => Promise<void>, options: FallbackOptions) {
  const { clock, limitMs = CALL_LIMIT_MS, onChange = () => {} } = options
  const lateError = () => new Error(`no answer in ${limitMs} ms`)
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
      await within(limitMs, ping(), lateError)
      if (isOpen) onChange(undefined)
      isOpen = false
    } catch (cause) {
      fail(cause)
      throw cause
    }
  }
  const probeWhenDue = () => {
    const now = clock.now().getTime()
    // Math.abs, because a clock that is set back must not stop the pings.
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
      return await within(limitMs, call(), lateError)
    } catch (cause) {
      fail(cause)
      throw new StoreUnavailable('the key-value store did not answer', { cause })
    }
  }
  return { ask, check }
}
