import { ServiceError } from '#contract/core/errors.ts'

/** Runs tasks one at a time, in order of arrival. Throws UNAVAILABLE when a task cannot start soon. */
export type Lane = <T>(task: () => Promise<T>) => Promise<T>

/**
 * Makes tasks wait in this process before they take a database connection. Tasks that wait for a lock of the database
 * instead hold a connection each, and could take all of the pool.
 */
export function createLane({ maxWaiting, maxWaitMs }: { maxWaiting: number; maxWaitMs: number }): Lane {
  const waiting = new Set<() => void>()
  let isRunning = false
  const release = () => {
    const [next] = waiting
    // The turn is handed over without being given up, so that nobody who arrives now overtakes the waiting.
    if (next) next()
    else isRunning = false
  }
  return async (task) => {
    if (isRunning) await waitForTurn(waiting, maxWaiting, maxWaitMs)
    isRunning = true
    try {
      return await task()
    } finally {
      release()
    }
  }
}

function waitForTurn(waiting: Set<() => void>, maxWaiting: number, maxWaitMs: number): Promise<void> {
  if (waiting.size >= maxWaiting) return Promise.reject(busy())
  return new Promise((resolve, reject) => {
    const start = () => {
      clearTimeout(timer)
      waiting.delete(start)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(start)
      reject(busy())
    }, maxWaitMs)
    waiting.add(start)
  })
}

function busy(): ServiceError {
  const detail = 'Too many agents are being registered or approved at this moment. Try again in 1 second.'
  return new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 1 })
}
