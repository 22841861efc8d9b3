import type { Wait } from '#contract/core/client-stream.ts'
import { ServiceError } from '#contract/core/errors.ts'

const MAX_BATCH = 100
const MAX_BATCH_BYTES = 3 * 1024 * 1024
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000
/** Answers after which sending the same again is useless. */
const FINAL: ReadonlySet<string> = new Set(['NOT_FOUND', 'INVALID_REQUEST', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE'])

type Deps<Item> = {
  readonly send: (items: readonly Item[]) => Promise<unknown>
  readonly wait: Wait
  readonly onError: (error: unknown) => void
}

/** Sends items in their order and in batches, again and again until the server has answered. */
export class Outbox<Item> {
  readonly #deps: Deps<Item>
  #waiting: Item[] = []
  #sending: Promise<void> | undefined

  constructor(deps: Deps<Item>) {
    this.#deps = deps
  }

  get waiting(): readonly Item[] {
    return this.#waiting
  }

  add(item: Item): void {
    this.#waiting.push(item)
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Resolves when everything that was added has been sent or given up. */
  async flushed(): Promise<void> {
    while (this.#sending) await this.#sending
  }

  async #sendAll(): Promise<void> {
    // Items that are added in the same turn go together.
    await Promise.resolve()
    let failures = 0
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch()
      try {
        await this.#deps.send(batch)
        failures = 0
      } catch (error) {
        this.#deps.onError(error)
        if (!isFinal(error)) {
          failures++
          const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS)
          await this.#deps.wait(delay, new AbortController().signal)
          continue
        }
      }
      this.#waiting = this.#waiting.slice(batch.length)
    }
  }

  #nextBatch(): readonly Item[] {
    let bytes = 0
    const batch: Item[] = []
    for (const item of this.#waiting.slice(0, MAX_BATCH)) {
      bytes += Buffer.byteLength(JSON.stringify(item))
      if (batch.length > 0 && bytes > MAX_BATCH_BYTES) break
      batch.push(item)
    }
    return batch
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && FINAL.has(error.code)
}
