import { createHash } from 'node:crypto'
import type { Clock } from '#lib/clock.ts'
import type { Workload } from './service-account.ts'

/** The API server itself goes by a review for ten seconds; this adds no more than that again. */
const KEPT_SECONDS = 10
const MAX_KEPT_TOKENS = 10_000

export type KeptWorkloads = {
  /** The workload of a token that was reviewed in the last seconds. The caller has checked that it has not expired. */
  get(token: string): Workload | undefined
  /** Whether the last review of the token was good, however long ago. */
  isKnown(token: string): boolean
  /** Records the outcome of a review. A refused token is forgotten, because an annotation may be set a moment later. */
  put(token: string, workload: Workload | undefined): void
}

/** Keeps hashes of good tokens and, for a few seconds, what they stood for. Beyond its size the oldest are dropped. */
export function createKeptWorkloads(clock: Clock, audience: string): KeptWorkloads {
  const kept = new Map<string, { workload: Workload; until: number }>()
  const keyOf = (token: string) => createHash('sha256').update(`${audience}\0${token}`).digest('base64')
  return {
    get: (token) => {
      const entry = kept.get(keyOf(token))
      return entry && entry.until > clock.now().getTime() ? entry.workload : undefined
    },
    isKnown: (token) => kept.has(keyOf(token)),
    put: (token, workload) => {
      const key = keyOf(token)
      kept.delete(key)
      if (!workload) return
      if (kept.size >= MAX_KEPT_TOKENS) kept.delete(kept.keys().next().value!)
      kept.set(key, { workload, until: clock.now().getTime() + KEPT_SECONDS * 1000 })
    },
  }
}
