import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'

/** Longer waits, as after the limit of a day, end the command instead. */
const MAX_WAIT_SECONDS = 120
const DEFAULT_WAIT_SECONDS = 1

/** Calls again for as long as the server says when to come back. `onWait` hears how many seconds each wait takes. */
export async function paced<T>(call: () => Promise<T>, onWait: (seconds: number | undefined) => void): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMITED') throw error
      const seconds = error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS
      if (seconds > MAX_WAIT_SECONDS) throw error
      onWait(seconds)
      await sleep(seconds * 1000)
      onWait(undefined)
    }
  }
}
