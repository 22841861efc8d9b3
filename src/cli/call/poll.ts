import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'

const POLL_MS = 1_000
/** A server that is started again is back by then. */
const MAX_SILENT_MS = 120_000

/** Asks once a second, forever. A server that goes away in the middle is asked again until it is back. */
export async function* poll<T>(ask: () => Promise<T>): AsyncGenerator<T> {
  let heardAt = Date.now()
  for (;;) {
    await sleep(POLL_MS)
    try {
      const answer = await ask()
      heardAt = Date.now()
      yield answer
    } catch (error) {
      if (!isAway(error) || Date.now() - heardAt > MAX_SILENT_MS) throw error
      await sleep((error.retryAfterSeconds ?? 0) * 1000)
    }
  }
}

function isAway(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMITED'].includes(error.code)
}
