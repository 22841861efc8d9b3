/** Bytes that one stream may write in a second. A program that writes more waits, as for a slow terminal. */
const BYTES_PER_SECOND = 4 * 1024 * 1024
/** Bytes that all apps of a process may write in a second before those with more than their share wait. */
const TOTAL_BYTES_PER_SECOND = 16 * 1024 * 1024
/** Each line counts as this many bytes more, so that empty lines do not come by the million. */
export const LINE_COST_BYTES = 512

/** Counts what one stream has written, and returns for how many milliseconds nothing of it must be read now. */
export type LogRate = (bytes: number) => number

/**
 * Limits what all apps of this process write to their logs. In each second they share the total: once it is used up, an
 * app that used more than an equal part waits for the next second, and the others go on up to theirs.
 */
export class SharedLogRate {
  readonly #nowMs: () => number
  #used = new Map<string, number>()
  #total = 0
  #since = Number.NEGATIVE_INFINITY

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Creates the rate of a stream, which both limits hold for. */
  ofStream(appId: string): LogRate {
    let budget = BYTES_PER_SECOND
    return (bytes) => {
      budget -= bytes
      const shared = this.#spend(appId, bytes)
      if (budget > 0) return shared
      const own = 1000 + Math.round((-budget / BYTES_PER_SECOND) * 1000)
      budget = BYTES_PER_SECOND
      return Math.max(own, shared)
    }
  }

  #spend(appId: string, bytes: number): number {
    const now = this.#nowMs()
    if (now - this.#since >= 1000) {
      this.#since = now
      this.#used = new Map()
      this.#total = 0
    }
    const used = (this.#used.get(appId) ?? 0) + bytes
    this.#used.set(appId, used)
    this.#total += bytes
    const isOver = this.#total > TOTAL_BYTES_PER_SECOND && used > TOTAL_BYTES_PER_SECOND / this.#used.size
    return isOver ? Math.ceil(this.#since + 1000 - now) : 0
  }
}
