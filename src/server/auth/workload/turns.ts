import { ServiceError } from '#contract/errors.ts'

/** Runs a task when one of the key's slots is free, in order of arrival. Throws UNAVAILABLE when `signal` ends first. */
export type InTurn = <T>(key: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>

type Line = { running: number; waiting: (() => void)[] }

/** Lets at most `slots` tasks of one key run at once. Lines that are empty are forgotten. */
export function createTurns(slots: number): InTurn {
  const lines = new Map<string, Line>()
  const release = (key: string, line: Line) => {
    const next = line.waiting.shift()
    // The slot is handed over without being freed, so that nobody who comes now overtakes the waiting.
    if (next) return next()
    line.running -= 1
    if (line.running === 0) lines.delete(key)
  }
  return async (key, signal, task) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < slots) line.running += 1
    else await waitForTurn(line, signal)
    try {
      return await task()
    } finally {
      release(key, line)
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
      const detail = 'Too many workload tokens from this address are being checked. Try again in 1 second.'
      reject(new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 1 }))
    }
    signal.addEventListener('abort', leave, { once: true })
    line.waiting.push(start)
  })
}
