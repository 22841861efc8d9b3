/**
 * Returns a function that runs work after all earlier work has ended. Rejects with the reason of the signal when that
 * aborts before the turn has come.
 */
export function oneAtATime(): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return async (signal, work) => {
    const before = last
    const done = Promise.withResolvers<void>()
    last = before.then(() => done.promise)
    try {
      await untilAborted(before, signal)
      return await work()
    } finally {
      done.resolve()
    }
  }
}

async function untilAborted(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    await Promise.race([turn, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
