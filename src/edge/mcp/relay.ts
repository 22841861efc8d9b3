// Imported, because each use of the global `performance` is a slower lookup.
import { performance } from 'node:perf_hooks'
import { createWake } from '#lib/work/wake.ts'

/**
 * Passes on a body that the library writes without regard to its reader. `taken` lets the writer wait for the reader,
 * so that a slow one costs the memory of one message.
 */
export class Relay {
  readonly body: ReadableStream<Uint8Array>
  readonly #wake = createWake()
  #isReaderWaiting = false
  #hasEnded = false

  constructor(inner: ReadableStream<Uint8Array>) {
    const reader = inner.getReader()
    this.body = new ReadableStream(
      {
        pull: async (controller) => {
          this.#isReaderWaiting = true
          this.#wake.ring()
          const { done, value } = await reader.read()
          if (!done) controller.enqueue(value)
          else this.#end(() => controller.close())
        },
        cancel: (reason) => {
          this.#end(() => {})
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Notes that a message is about to be written. */
  writes(): void {
    this.#isReaderWaiting = false
  }

  /** Returns true when the reader asks for more or is gone, false if it has not done so after `limitMs`. */
  async taken(limitMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + limitMs
    while (!this.#isReaderWaiting && !this.#hasEnded) {
      const leftMs = deadlineMs - performance.now()
      if (leftMs <= 0) return false
      await this.#wake.next(leftMs)
    }
    return true
  }

  #end(close: () => void): void {
    this.#hasEnded = true
    this.#wake.ring()
    close()
  }
}
