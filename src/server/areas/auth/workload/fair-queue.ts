import { ServiceError } from '#contract/core/errors.ts'

/**
 * Runs a task when one of the key's slots is free. Throws UNAVAILABLE if `signal` aborts first or too many tasks wait.
 */
type FairQueue = <T>(key: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>

type FairQueueLimits = {
  /** Tasks of one key that run at once. */
  perKey: number
  /** Tasks of all keys that run at once. */
  total: number
  /** Tasks of one key that wait; further ones are refused at once. */
  maxWaiting: number
}

type Line = { running: number; waiting: (() => void)[] }

/**
 * Bounds the tasks that run at once, for each key and in all. A slot goes to the keys in rotation and within a key in
 * order of arrival, so that a key with many waiting tasks does not hold up the others.
 */
export function createFairQueue({ perKey, total, maxWaiting }: FairQueueLimits): FairQueue {
  const lines = new Map<string, Line>()
  let running = 0
  const isFree = (line: Line) => running < total && line.running < perKey
  const occupy = (line: Line) => {
    running += 1
    line.running += 1
  }
  const forgetEmpty = (key: string, line: Line) => {
    if (line.running === 0 && line.waiting.length === 0) lines.delete(key)
  }
  const startNext = () => {
    for (const [key, line] of lines) {
      if (line.waiting.length === 0 || !isFree(line)) continue
      // Moved to the end of the map, so that the other keys come first.
      lines.delete(key)
      lines.set(key, line)
      occupy(line)
      return line.waiting.shift()!()
    }
  }
  return async (key, signal, task) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (isFree(line)) occupy(line)
    else if (line.waiting.length >= maxWaiting) throw tooMany()
    else await waitForTurn(line, signal).finally(() => forgetEmpty(key, line))
    try {
      return await task()
    } finally {
      running -= 1
      line.running -= 1
      forgetEmpty(key, line)
      startNext()
    }
  }
}

function waitForTurn(line: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      line.waiting.splice(line.waiting.indexOf(start), 1)
      reject(tooMany())
    }
    signal.addEventListener('abort', leave, { once: true })
    line.waiting.push(start)
  })
}

function tooMany(): ServiceError {
  const detail = 'Too many workload tokens from this address are being checked. Try again in 1 second.'
  return new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 1 })
}
