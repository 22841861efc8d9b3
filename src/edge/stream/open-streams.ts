import { endsWithin } from '#lib/async/race.ts'

/** How long a stop waits for the sources of streams to end after each reader got its last record. */
const SOURCE_END_MS = 5_000

/** The event streams a process is sending. Disposing of it ends each one with a last record that says `shutdown`. */
export class OpenStreams implements AsyncDisposable {
  readonly #stops = new Set<() => void>()
  readonly #sources = new Set<Promise<unknown>>()
  #isStopping = false

  get isStopping(): boolean {
    return this.#isStopping
  }

  get size(): number {
    return this.#stops.size
  }

  /** Adds a stream by the function that ends it. Returns the function that removes it again. */
  add(stop: () => void): () => void {
    this.#stops.add(stop)
    return () => void this.#stops.delete(stop)
  }

  /** Remembers a source whose stream has ended and whose cleanup still runs, so that a stop waits for it. */
  awaitSource(ended: Promise<unknown>): void {
    const settled = ended.catch(() => {}).finally(() => this.#sources.delete(settled))
    this.#sources.add(settled)
  }

  /** Ends every stream at once, then waits for their sources, which may still use the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    for (const stop of this.#stops) stop()
    await endsWithin(SOURCE_END_MS, Promise.all(this.#sources))
  }
}
