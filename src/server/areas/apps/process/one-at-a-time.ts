import { orAborted } from '#lib/async/race.ts'

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
      await orAborted(before, signal)
      return await work()
    } finally {
      done.resolve()
    }
  }
}
