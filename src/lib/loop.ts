import { hostname } from 'node:os'
import type { Clock } from './clock.ts'
import type { Db } from './db/db.ts'
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
    const now = this.#deps.clock.now()
    if (!this.#loop.leader) return (await this.#loop.tick(now, this.#stopping.signal)).getTime() - now.getTime()
    const lease = await this.#lead(now)
    if (!lease) return (LEADER_SECONDS * 1000) / 2
    const lost = new AbortController()
    const renewal = setInterval(() => void this.#renew(lost), (LEADER_SECONDS * 1000) / 3)
    try {
      const next = await this.#loop.tick(now, AbortSignal.any([this.#stopping.signal, lost.signal]))
      return next.getTime() - now.getTime()
    } finally {
      clearInterval(renewal)
      await releaseLease(this.#deps.db, lease)
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

  /** Whoever cannot renew must stop before the lease runs out and another begins. */
  async #renew(lost: AbortController): Promise<void> {
    const kept = await this.#lead(this.#deps.clock.now()).catch(() => undefined)
    if (!kept) lost.abort()
  }
}
