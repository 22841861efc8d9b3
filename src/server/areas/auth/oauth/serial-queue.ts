import { ServiceError } from '#contract/core/errors.ts'

/** Runs tasks one at a time, in order of arrival. Throws UNAVAILABLE if too many wait or the wait is too long. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>

/**
 * Makes tasks wait in this process before they take a database connection. Tasks that waited for a database lock
 * instead would each hold a connection and could use up the pool.
 */
export function createSerialQueue({ maxWaiting, maxWaitMs }: { maxWaiting: number; maxWaitMs: number }): SerialQueue {
  const waiting = new Set<() => void>()
  let isRunning = false
  const release = () => {
    const [next] = waiting
    // `isRunning` stays true for the next task, so that a task arriving now cannot overtake it.
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
