import { RECHECK_SECONDS } from '#contract/core/stream.ts'
import { orAborted } from '#lib/async/race.ts'

type Recheck = {
  /** Throws the refusal of a caller who may not read on. */
  readonly recheck: () => Promise<unknown>
  /** Calls back when the caller's credentials expire. Returns the function that takes the call back. */
  readonly atExpiry: (act: () => void) => () => void
}

/**
 * Passes events on, each after `recheck`, which is also called every 30 seconds and when the caller's credentials expire.
 * Throws the refusal of `recheck` as soon as there is one, also while the source is silent.
 */
export async function* recheckedEvents<T>(events: AsyncIterable<T>, { recheck, atExpiry }: Recheck): AsyncGenerator<T> {
  const source = events[Symbol.asyncIterator]()
  const refused = new AbortController()
  const look = () => void recheck().catch((error: unknown) => refused.abort(error))
  const timer = setInterval(look, RECHECK_SECONDS * 1000)
  timer.unref()
  const stopExpiry = atExpiry(look)
  try {
    for (;;) {
      const next = await orAborted(source.next(), refused.signal)
      if (next.done) return
      await recheck()
      yield next.value
    }
  } finally {
    clearInterval(timer)
    stopExpiry()
    // Not awaited: a source that waits for its next event ends when the stream aborts its signal, which is after this.
    source.return?.().catch(() => {})
  }
}
