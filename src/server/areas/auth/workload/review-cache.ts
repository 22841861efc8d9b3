import { createHash } from 'node:crypto'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Workload } from './service-account.ts'

/** The API server caches a review for ten seconds itself, so a revoked token may work for up to twenty. */
const CACHE_SECONDS = 10
const MAX_CACHED_TOKENS = 10_000

type ReviewCache = {
  /**
   * Returns the workload of a token reviewed in the last CACHE_SECONDS. The caller checks that the token is not
   * expired.
   */
  get(token: string): Workload | undefined
  /** Whether the last review accepted the token, however long ago. */
  wasAccepted(token: string): boolean
  /**
   * Records the outcome of a review. A refused token is not cached, because an annotation may be added a moment later.
   */
  put(token: string, workload: Workload | undefined): void
}

/** Caches the workloads of accepted tokens by token hash. */
export function createReviewCache(clock: Clock, audience: string): ReviewCache {
  // Without a time to live, because `wasAccepted` looks at old entries too.
  const cache = createBoundedCache<string, { workload: Workload; until: number }>({ max: MAX_CACHED_TOKENS })
  const keyOf = (token: string) => createHash('sha256').update(`${audience}\0${token}`).digest('base64')
  return {
    get: (token) => {
      const entry = cache.get(keyOf(token))
      return entry && entry.until > clock.now().getTime() ? entry.workload : undefined
    },
    wasAccepted: (token) => cache.has(keyOf(token)),
    put: (token, workload) => {
      if (!workload) cache.delete(keyOf(token))
      else cache.set(keyOf(token), { workload, until: clock.now().getTime() + CACHE_SECONDS * 1000 })
    },
  }
}
