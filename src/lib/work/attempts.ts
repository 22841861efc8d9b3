import { DatabaseUnavailable } from '../db/errors.ts'

const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 60 * 60_000
/** Far more than fail at a time; it bounds the memory. After it, items are tried and reported anew. */
const MAX_REMEMBERED = 10_000

/** Does work for one item, unless that failed a short while ago. */
export type Attempt = (id: string, now: Date, work: () => Promise<void>) => Promise<void>

/**
 * For loops whose items belong to different organizations: one that fails holds up no other. Its fault is reported once,
 * with `item` as the kind of the item, and it is tried again after a minute, then ever more seldom. A database that does
 * not answer concerns every item, so that is thrown.
 */
export function createAttempts(item: string, onError: (error: unknown) => void): Attempt {
  const failed = new Map<string, { waitMs: number; retryAt: number }>()
  return async (id, now, work) => {
    const former = failed.get(id)
    if (former && now.getTime() < former.retryAt) return
    try {
      await work()
      failed.delete(id)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      if (failed.size >= MAX_REMEMBERED) failed.clear()
      const waitMs = former ? Math.min(former.waitMs * 2, MAX_RETRY_MS) : FIRST_RETRY_MS
      failed.set(id, { waitMs, retryAt: now.getTime() + waitMs })
      if (!former) onError(new Error(`${item} ${id} failed and is tried again`, { cause: error }))
    }
  }
}
