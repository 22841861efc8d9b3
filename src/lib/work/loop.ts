import { hostname } from 'node:os'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { type Lease, releaseLease, takeLease } from './lease.ts'

/** Work that repeats. `tick` does what is due and answers when it wants to be called again. */
export type Loop = {
  readonly name: string
  tick(now: Date, signal: AbortSignal): Promise<Date>
  /** A NOTIFY on this channel calls `tick` at once. */
  readonly wakeOn?: string
  /** Only one process of the cluster runs it at a time. */
  readonly leader?: boolean
}

type Deps = { db: Db; clock: Clock; onError: (loop: string, error: unknown) => void }

const LEADER_SECONDS = 15
const AFTER_FAULT_MS = 5_000
const LONGEST_WAIT_MS = 60 * 60_000

/** Owns timers, wake-ups and leadership, so that a loop is a plain function a test can call. */
export async function runLoops(loops: readonly Loop[], deps: Deps): Promise<AsyncDisposable> {
  const runners = loops.map((loop) => new Runner(loop, deps))
  await Promise.all(runners.map((runner) => runner.start()))
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}

class Runner {
  readonly #loop: Loop
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  readonly #holder = `${hostname()}/${process.pid}/${Math.random().toString(36).slice(2)}`
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> | undefined
  #again = false
  #listening: AsyncDisposable | undefined

  constructor(loop: Loop, deps: Deps) {
    this.#loop = loop
    this.#deps = deps
  }

  async start(): Promise<void> {
    if (this.#loop.wakeOn) this.#listening = await this.#deps.db.listen(this.#loop.wakeOn, () => this.#wake())
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#turn
    await this.#listening?.[Symbol.asyncDispose]()
  }

  /** A wake-up during a turn is not lost: another turn follows it. */
  #wake(): void {
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
        this.#wake()
      }
    })
  }

  async #takeTurn(): Promise<void> {
    const wait = await this.#tick().catch((error: unknown) => {
      this.#deps.onError(this.#loop.name, error)
      return AFTER_FAULT_MS
    })
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(wait, 0), LONGEST_WAIT_MS))
    this.#timer.unref()
  }

  /** Milliseconds until the next turn. */
  async #tick(): Promise<number> {
    const { clock } = this.#deps
    const now = clock.now()
    if (this.#loop.leader) return this.#tickAsLeader(now)
    const next = await this.#loop.tick(now, this.#stopping.signal)
    return next.getTime() - clock.now().getTime()
  }

  async #tickAsLeader(now: Date): Promise<number> {
    const { clock, db } = this.#deps
    let lease = await this.#lead(now)
    if (!lease) return (LEADER_SECONDS * 1000) / 2
    const { fence } = lease
    const lost = new AbortController()
    let renewing: Promise<void> | undefined
    /** Whoever cannot renew must stop; so must one whose lease ran out, for another may have had it meanwhile. */
    const renew = async () => {
      const kept = await this.#lead(clock.now()).catch(() => undefined)
      if (kept?.fence !== fence) lost.abort()
      lease = kept ?? lease
    }
    const renewal = setInterval(
      () => {
        renewing = renew()
      },
      (LEADER_SECONDS * 1000) / 3,
    )
    try {
      const next = await this.#loop.tick(now, AbortSignal.any([this.#stopping.signal, lost.signal]))
      return next.getTime() - clock.now().getTime()
    } finally {
      clearInterval(renewal)
      // A renewal still under way would take again what is released.
      await renewing
      await releaseLease(db, lease)
    }
  }

  #lead(now: Date): Promise<Lease | undefined> {
    return takeLease(this.#deps.db, {
      name: `loop:${this.#loop.name}`,
      holder: this.#holder,
      seconds: LEADER_SECONDS,
      now,
    })
  }
}
