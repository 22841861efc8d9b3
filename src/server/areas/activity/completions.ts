import type { Querier } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { type Completion, completeRecords } from './store.ts'

const BATCH_DELAY_MS = 500
const MAX_BATCH_RECORDS = 1000

/** Writes how questions ended, in batches after the answer was sent, so that no answer waits for this write. */
export class Completions implements AsyncDisposable {
  readonly #db: Querier
  readonly #onError: (error: unknown) => void
  #waiting: Completion[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(db: Querier, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  add(done: Completion): void {
    this.#waiting.push(done)
    this.#schedule()
  }

  /** Writes everything that waits. Never rejects: a batch is tried again while the database is away, otherwise dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.flush()
  }

  #schedule(): void {
    if (this.#closed || this.#timer) return
    this.#timer = setTimeout(() => void this.flush(), BATCH_DELAY_MS)
    this.#timer.unref()
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH_RECORDS)
      try {
        await completeRecords(this.#db, batch)
      } catch (error) {
        this.#onError(error)
        if (!(error instanceof DatabaseUnavailable)) continue
        this.#waiting.unshift(...batch)
        return this.#schedule()
      }
    }
  }
}
