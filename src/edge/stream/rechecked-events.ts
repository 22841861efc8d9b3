import { RECHECK_SECONDS } from '#contract/core/stream.ts'
import { orAborted } from '#lib/async/race.ts'

/**
 * Passes events on, each after `recheck`, which is also called every 30 seconds. Throws the refusal of `recheck` as soon
 * as there is one, also while the source is silent.
 */
export async function* recheckedEvents<T>(
  events: AsyncIterable<T>,
  recheck: () => Promise<unknown>,
): AsyncGenerator<T> {
  const source = events[Symbol.asyncIterator]()
  const refused = new AbortController()
  const timer = setInterval(() => {
    recheck().catch((error: unknown) => refused.abort(error))
  }, RECHECK_SECONDS * 1000)
  timer.unref()
  try {
    for (;;) {
      const next = await orAborted(source.next(), refused.signal)
      if (next.done) return
      await recheck()
      yield next.value
    }
  } finally {
    clearInterval(timer)
    // Not awaited: a source that waits for its next event ends when the stream aborts its signal, which is after this.
    source.return?.().catch(() => {})
  }
}
