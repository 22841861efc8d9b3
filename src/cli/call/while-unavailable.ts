import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'

/** In all. A server that has just started is complete by then. */
const MAX_WAIT_SECONDS = 30
/** A server that asks for a longer wait is not coming back soon, so its answer is shown at once. */
const MAX_STEP_SECONDS = 10

type Wait = (ms: number) => Promise<unknown>

/** Calls again while the server says that it will soon be able to answer, as in the first seconds after its start. */
export async function whileUnavailable<T>(call: () => Promise<T>, wait: Wait = sleep): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await call()
    } catch (error) {
      const seconds = secondsToWait(error)
      if (seconds === undefined || waited + seconds > MAX_WAIT_SECONDS) throw error
      waited += seconds
      await wait(seconds * 1000)
    }
  }
}

function secondsToWait(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') return undefined
  const { retryAfterSeconds: seconds } = error
  return seconds !== undefined && seconds > 0 && seconds <= MAX_STEP_SECONDS ? seconds : undefined
}
