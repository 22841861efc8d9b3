import { createHash } from 'node:crypto'
import type { Clock } from '#lib/clock.ts'
import type { Workload } from './service-account.ts'

/** The API server itself goes by a review for ten seconds; this adds no more than that again. */
const KEPT_SECONDS = 10
const MOST_KEPT = 10_000

export type KeptWorkloads = {
  get(token: string): Workload | undefined
  put(token: string, workload: Workload): void
}

/**
 * What good tokens stood for a moment ago; whoever asks has seen that the token has not ended. Refusals are not kept:
 * an annotation may be set a moment later.
 */
export function createKeptWorkloads(clock: Clock, audience: string): KeptWorkloads {
  const kept = new Map<string, { workload: Workload; until: number }>()
  const keyOf = (token: string) => createHash('sha256').update(`${audience}\0${token}`).digest('base64')
  return {
    get: (token) => {
      const key = keyOf(token)
      const entry = kept.get(key)
      if (entry && entry.until > clock.now().getTime()) return entry.workload
      kept.delete(key)
      return undefined
    },
    put: (token, workload) => {
      if (kept.size >= MOST_KEPT) kept.clear()
      kept.set(keyOf(token), { workload, until: clock.now().getTime() + KEPT_SECONDS * 1000 })
    },
  }
}
