/**
 * The one place for `Promise.race`, which `test/layers.test.ts` proves. A race adds a reaction to each of its promises,
 * and a reaction is freed only when its promise settles. A race against a promise that lives as long as a process or a
 * connection therefore keeps memory for every call. The end of something long-lived is an `AbortSignal`, whose listener
 * can be removed.
 */

/** Settles as `work` does, or rejects with the signal's reason when that is aborted first. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Settles as `work` does, or rejects with an error of `lateError` when the time is over first. */
export async function within<T>(limitMs: number, work: Promise<T>, lateError: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  // After a long computation the timer fires before the socket is read. `setImmediate` runs after the read, so that an
  // answer that has already arrived still counts.
  const timer = setTimeout(() => setImmediate(() => late.reject(lateError())), limitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns whether `work` ended before the time was over. Rejects if `work` does. */
export async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), limitMs)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Settles as `work` does if that needs no more than this turn of the event loop. Otherwise returns undefined. */
export async function withinTurn<T>(work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const turn = setImmediate(() => late.resolve(undefined))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearImmediate(turn)
  }
}
