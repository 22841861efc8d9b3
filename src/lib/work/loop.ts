import type { Db } from '../db/db.ts'
import type { Clock } from '../time/clock.ts'
import { LEASE_SECONDS, runIfLeased } from './lease.ts'

/** Short work that repeats. `tick` does what is due and returns when it wants to be called again. */
export type Loop = {
  readonly name: string
  tick(now: Date, signal: AbortSignal): Promise<Date>
  /** A NOTIFY on this channel calls `tick` at once. */
  readonly wakeOn?: string
  /**
   * Lets one process of the cluster run it at a time, to save work. Nothing may depend on that: a process that was paused
   * past its lease can go on with a turn while another has begun the next.
   */
  readonly leader?: boolean
}

type Deps = { db: Db; clock: Clock; onError: (loop: string, error: unknown) => void }

const WAIT_AFTER_FAULT_MS = 5_000
/** Longest wait for the first turn of a loop before the next loop takes its own. */
const FIRST_TURN_MS = 500
const MAX_WAIT_MS = 60 * 60_000

/** Runs loops until it is disposed. It owns timers, wake-ups and leadership, so that a loop is a plain function. */
export async function runLoops(loops: readonly Loop[], deps: Deps): Promise<AsyncDisposable> {
  const runners = loops.map((loop) => new Runner(loop, deps))
  // All listen before the first takes its turn: an embedded database has one session, and the start would wait for it.
  await Promise.all(runners.map((runner) => runner.listen()))
  void takeFirstTurns(runners)
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}

/** One after another: all at once would keep the requests to a starting server waiting for its database. */
async function takeFirstTurns(runners: readonly Runner[]): Promise<void> {
  for (const runner of runners) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FIRST_TURN_MS)
    timer.unref()
    void runner.takeFirstTurn().then(resolve)
    await promise
    clearTimeout(timer)
  }
}

class Runner {
  readonly #loop: Loop
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> | undefined
  #again = false
  #listening: AsyncDisposable | undefined

  constructor(loop: Loop, deps: Deps) {
    this.#loop = loop
    this.#deps = deps
  }

  async listen(): Promise<void> {
    if (this.#loop.wakeOn) this.#listening = await this.#deps.db.listen(this.#loop.wakeOn, () => this.wake())
  }

  async takeFirstTurn(): Promise<void> {
    this.wake()
    await this.#turn
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#turn
    await this.#listening?.[Symbol.asyncDispose]()
  }

  /** Takes a turn now, or another one right after the turn that is under way. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    if (this.#turn) {
      this.#again = true
      return
    }
    clearTimeout(this.#timer)
    this.#turn = this.#takeTurn().finally(() => {
      this.#turn = undefined
      if (this.#again) {
        this.#again = false
        this.wake()
      }
    })
  }

  async #takeTurn(): Promise<void> {
    const wait = await this.#tick().catch((error: unknown) => {
      this.#deps.onError(this.#loop.name, error)
      return WAIT_AFTER_FAULT_MS
    })
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(wait, 0), MAX_WAIT_MS))
    this.#timer.unref()
  }

  /** Returns the milliseconds until the next turn. */
  async #tick(): Promise<number> {
    const { clock } = this.#deps
    const now = clock.now()
    if (this.#loop.leader) return this.#tickAsLeader(now)
    const next = await this.#loop.tick(now, this.#stopping.signal)
    return next.getTime() - clock.now().getTime()
  }

  async #tickAsLeader(now: Date): Promise<number> {
    const { clock, db } = this.#deps
    const led = await runIfLeased(db, `loop:${this.#loop.name}`, (_, signal) =>
      this.#loop.tick(now, AbortSignal.any([this.#stopping.signal, signal])),
    )
    return led ? led.result.getTime() - clock.now().getTime() : (LEASE_SECONDS * 1000) / 2
  }
}
