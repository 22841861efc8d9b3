import { EngineThread } from '#lib/db/embedded.ts'
import type { Wire } from '#lib/db/wire-stream.ts'
import { WorkerStopped } from '#lib/worker-host.ts'
import { errorIn, messagesOf, query } from './wire-messages.ts'

/** One connection's side of the session: what is set up for it when its turn comes. */
export type Seat = {
  readonly prologue: readonly string[]
  readonly statementMs: number
  readonly waitMs: number
  /** Called when the session was another's meanwhile: nothing of this seat is in it. */
  onFresh(): void
}

export class SessionBusy extends Error {
  override readonly name = 'SessionBusy'
}

const PLATFORM: Seat = { prologue: [], statementMs: 60_000, waitMs: 60_000, onFresh() {} }
// Not RESET SESSION AUTHORIZATION: the embedded engine does not come back from it.
const CLEANING = ['rollback', 'set session authorization postgres', 'discard all']

/**
 * The one session of an embedded database, lent to one connection at a time. What a connection leaves in it (role,
 * settings, temporary tables, prepared statements) stays until another takes its turn, and is cleaned away then.
 */
export class Session {
  readonly #thread: EngineThread
  #wire: Wire | undefined
  #holder: Seat | undefined
  #taken = false
  #waiting: (() => void)[] = []

  private constructor(thread: EngineThread) {
    this.#thread = thread
  }

  static async open(options: ConstructorParameters<typeof EngineThread>[0]): Promise<Session> {
    const thread = new EngineThread(options)
    await thread.start()
    return new Session(thread)
  }

  async take(seat: Seat): Promise<void> {
    await this.#turn(seat.waitMs)
    try {
      await this.#connect()
      if (this.#holder !== seat) await this.#seat(seat)
    } catch (error) {
      this.give()
      throw error
    }
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }

  /** By whoever has the turn. An engine that fails at it is done for; the next turn starts another. */
  async send(bytes: Buffer, limitMs: number): Promise<Buffer> {
    if (!this.#wire) throw new WorkerStopped('the engine was stopped')
    this.#thread.limit(limitMs)
    try {
      return Buffer.from(await this.#wire.send(new Uint8Array(bytes)))
    } catch (error) {
      await this.#thread.kill()
      throw error
    }
  }

  /** As the engine's own superuser, which nobody logs in as. */
  async runAsPlatform(statements: readonly string[]): Promise<void> {
    await this.#asPlatform(() => this.#runAll(statements, PLATFORM.statementMs))
  }

  async askAsPlatform(bytes: Buffer): Promise<Buffer> {
    return this.#asPlatform(() => this.send(bytes, PLATFORM.statementMs))
  }

  async #asPlatform<T>(work: () => Promise<T>): Promise<T> {
    await this.take(PLATFORM)
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #turn(waitMs: number): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((waiter) => waiter !== resolve)
      reject(new SessionBusy('the database is busy with another transaction'))
    }
    const timer = setTimeout(giveUp, waitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  async #connect(): Promise<void> {
    if (this.#wire) return
    const wire = this.#thread.wire()
    await wire.open()
    this.#wire = wire
    void wire.stopped.then(() => {
      if (this.#wire !== wire) return
      this.#wire = undefined
      this.#holder = undefined
    })
  }

  async #seat(seat: Seat): Promise<void> {
    this.#holder = undefined
    await this.#runAll([...CLEANING, ...seat.prologue], PLATFORM.statementMs)
    this.#holder = seat
    seat.onFresh()
  }

  async #runAll(statements: readonly string[], limitMs: number): Promise<void> {
    for (const statement of statements) {
      const error = errorIn(messagesOf(await this.send(query(statement), limitMs)))
      if (error !== undefined) throw new Error(error)
    }
  }
}
