import type { HeldLease } from './job-kind.ts'

/** Milliseconds on a clock that never steps. */
export type Uptime = () => number

export const processUptime: Uptime = () => performance.now()

/** The reason of an aborted signal when the lease is no longer this process's. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Watches the end of a lease on this process's own uptime. `endsAt` is counted from before the statement that granted
 * the lease was sent, so it is never later than the end in the database, whatever the clocks of both show.
 */
export class LeaseWatch implements HeldLease {
  readonly #name: string
  readonly #abort = new AbortController()
  readonly #uptime: Uptime
  #endsAt: number
  #timer: NodeJS.Timeout | undefined

  constructor(name: string, endsAt: number, uptime: Uptime) {
    this.#name = name
    this.#endsAt = endsAt
    this.#uptime = uptime
    this.#watch()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  leaseMsLeft(): number {
    if (this.signal.aborted) return 0
    const left = this.#endsAt - this.#uptime()
    if (left > 0) return left
    this.abort(new LeaseLost(`the lease of ${this.#name} ran out before it could be renewed`))
    return 0
  }

  /** Moves the end of the lease. A lease that is already lost here stays lost. */
  extend(endsAt: number): void {
    if (this.leaseMsLeft() === 0) return
    this.#endsAt = endsAt
    this.#watch()
  }

  takenOver(): void {
    this.abort(new LeaseLost(`the lease of ${this.#name} was taken over`))
  }

  abort(reason: Error): void {
    this.unwatch()
    this.#abort.abort(reason)
  }

  /** Stops the timer. To be called when the work under the lease has ended. */
  unwatch(): void {
    clearTimeout(this.#timer)
  }

  #watch(): void {
    clearTimeout(this.#timer)
    const left = this.#endsAt - this.#uptime()
    this.#timer = setTimeout(
      () => {
        // Timers may fire a fraction of a millisecond early.
        if (this.leaseMsLeft() > 0) this.#watch()
      },
      Math.max(Math.ceil(left), 0),
    )
    this.#timer.unref()
  }
}
