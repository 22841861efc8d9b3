import { ServiceError } from '#contract/core/errors.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { addTokens, correctTokens } from './store.ts'

const DAY_MS = 24 * 60 * 60_000

/** Counts the tokens that were used in place of those that were reserved. Call it at most once. */
export type SettleUsage = (tokens: number) => Promise<void>

export type Meter = {
  /** Reserves `most` tokens of today. They stay counted if they are never settled. Throws RATE_LIMITED. */
  reserve(org_id: string, most: number): Promise<SettleUsage>
  /** Reserves `most` tokens while `run` works, then counts the tokens it used. A failed run costs nothing. */
  spend<T extends { tokens: number }>(
    org_id: string,
    most: number,
    signal: AbortSignal,
    run: () => Promise<T>,
  ): Promise<T>
}

/** Enforces the daily token limit of an organization, also for concurrent requests. It resets at midnight UTC. */
export function createMeter({ db, clock, limit }: { db: Querier; clock: Clock; limit: number }): Meter {
  const reserve: Meter['reserve'] = async (org_id, most) => {
    const now = clock.now()
    const day = now.toISOString().slice(0, 10)
    if (!(await addTokens(db, { org_id, day, tokens: most }, limit))) throw usedUp(limit, now)
    return (tokens) => correctTokens(db, { org_id, day, tokens: tokens - most })
  }
  return {
    reserve,
    spend: async (org_id, most, signal, run) => {
      const settle = await reserve(org_id, most)
      const result = await run().catch(async (error: unknown) => {
        // A caller that disconnects still pays, because the work was done.
        if (!signal.aborted) await settle(0)
        throw error
      })
      await settle(result.tokens)
      return result
    },
  }
}

/** Largest number of tokens of a text: at most one per byte, and two around the text. */
export function mostTokens(texts: readonly string[], maxTokens: number): number {
  return texts.reduce((sum, text) => sum + Math.min(maxTokens, Buffer.byteLength(text) + 2), 0)
}

function usedUp(limit: number, now: Date): ServiceError {
  const retryAfterSeconds = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000)
  const detail = `Too few tokens left: this organization may use ${limit} per UTC day. Try again tomorrow, or send less text.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}
