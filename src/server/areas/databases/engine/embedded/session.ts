import { randomBytes } from 'node:crypto'
import type { Activity } from '../engine.ts'
import { AnswerScanner } from './answer-scanner.ts'
import type { EngineProcess } from './engine-process.ts'
import { EngineStopped, stopped } from './engine-stopped.ts'
import { cStrings, END_OF_TURN, errorIn, messagesOf, query, type WireMessage } from './wire-messages.ts'

/** A connection that uses the session: the statements that prepare its turn, and its limits. */
export type SessionClient = {
  readonly prologue: readonly string[]
  readonly statementMs: number
  readonly waitMs: number
  /** Called when another connection had the session meanwhile, so that nothing of this client is left in it. */
  onFresh(): void
}

export class SessionBusy extends Error {
  override readonly name = 'SessionBusy'
}

type Options = {
  start: () => Promise<EngineProcess>
  /** An engine that nobody uses for this long is stopped; the next turn starts another. */
  idleMs: number
  onError: (error: unknown) => void
}

const PLATFORM: SessionClient = { prologue: [], statementMs: 60_000, waitMs: 60_000, onFresh() {} }
/** The limit of cleaning up between two turns, which is quick. An engine that takes longer is replaced. */
const CLEANING_MS = 10_000
/** A turn that ends at the limit of the wait is still waited for. */
const GRACE_MS = 500
const PLATFORM_ANSWER = { rowBytes: 1024 * 1024, answerBytes: 1024 * 1024 }
// Not RESET SESSION AUTHORIZATION: the embedded engine does not come back from it.
const CLEANING = ['set session authorization postgres', 'discard all']

/**
 * The one session of an embedded database, lent to one connection at a time. What a connection leaves in it (role,
 * settings, temporary tables, prepared statements) stays until another takes its turn, and is cleaned away then. The
 * engine is started for the first turn and stopped when it was idle.
 */
export class Session {
  readonly #options: Options
  #engine: EngineProcess | undefined
  #starting: Promise<EngineProcess> | undefined
  #holder: SessionClient | undefined
  #isTaken = false
  #isClosed = false
  #waiting: (() => void)[] = []
  #idleTimer: NodeJS.Timeout | undefined
  #serverVersion: string | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Waits for the turn and prepares the session for this client. Throws `SessionBusy` soon after `client.waitMs`, and when
   * `clientClosed` is aborted.
   */
  async take(client: SessionClient, clientClosed?: AbortSignal): Promise<void> {
    await this.#turn(client.waitMs, clientClosed)
    clearTimeout(this.#idleTimer)
    try {
      await this.#prepare(client)
    } catch (error) {
      this.give()
      throw error
    }
  }

  /** Whether the engine runs, and whether a connection has the session now. */
  activity(): Activity {
    if (!this.#engine || this.#engine.reason) return 'stopped'
    return this.#isTaken ? 'busy' : 'idle'
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) {
      next()
      return
    }
    this.#isTaken = false
    if (this.#engine && !this.#isClosed) {
      this.#idleTimer = setTimeout(() => void this.#stopIdle(), this.#options.idleMs)
      this.#idleTimer.unref()
    }
  }

  /** As `EngineProcess.exchange`, for the connection that has the turn. */
  async exchange(bytes: Buffer, limitMs: number, onBytes: (bytes: Buffer) => Promise<void> | void): Promise<void> {
    if (!this.#engine) throw stopped.closed()
    await this.#engine.exchange(bytes, limitMs, onBytes)
  }

  /** Kills the engine of a connection that left it in the middle of a message. Nothing committed is lost. */
  abandon(reason = stopped.closed()): void {
    this.#engine?.kill(reason)
  }

  /** Runs statements as the engine's own superuser, which nobody can log in as. */
  async runAsPlatform(statements: readonly string[]): Promise<void> {
    await this.#asPlatform(() => this.#runAll(statements, PLATFORM.statementMs))
  }

  /** Runs `work` while no engine has the folder open. The next turn starts one. */
  async whileStopped<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn(PLATFORM.waitMs)
    clearTimeout(this.#idleTimer)
    try {
      if (this.#isClosed) throw stopped.closed()
      await this.#engine?.close()
      this.#engine = undefined
      this.#holder = undefined
      return await work()
    } finally {
      this.give()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    // One that is being started has the folder open too.
    const engine = this.#engine ?? (await this.#starting?.catch(() => undefined))
    await engine?.close()
  }

  /** Returns the version of this database's engine. Each is asked itself: one that was taken over may lie. */
  async serverVersion(): Promise<string> {
    if (this.#serverVersion !== undefined) return this.#serverVersion
    const answer = await this.#asPlatform(() => this.#ask(query('show server_version'), PLATFORM.statementMs))
    const row = answer.find(({ type }) => type === 'D')
    const [text = ''] = cStrings(row?.body.subarray(6) ?? Buffer.alloc(0))
    this.#serverVersion = /^[\w. ()-]{1,64}$/.test(text) ? text : 'unknown'
    return this.#serverVersion
  }

  async #asPlatform<T>(work: () => Promise<T>): Promise<T> {
    await this.take(PLATFORM)
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  async #turn(waitMs: number, clientClosed?: AbortSignal): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((waiter) => waiter !== resolve)
      reject(new SessionBusy('the database is busy with another transaction'))
    }
    // A second timer, set when the first one fires: in a busy process that is the moment at which the limit of the holder
    // passes too, and its rollback takes a few more steps.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, GRACE_MS)
    }, waitMs)
    clientClosed?.addEventListener('abort', giveUp)
    await promise.finally(() => {
      clearTimeout(timer)
      clientClosed?.removeEventListener('abort', giveUp)
    })
  }

  /** Replaces an engine that fails here once, because the connection before may have broken it. */
  async #prepare(client: SessionClient): Promise<void> {
    await this.#ensureEngine()
    if (this.#holder === client) return
    try {
      await this.#setUpFor(client)
    } catch (error) {
      if (!(error instanceof EngineStopped)) throw error
      await this.#ensureEngine()
      await this.#setUpFor(client)
    }
  }

  async #ensureEngine(): Promise<void> {
    if (this.#isClosed) throw stopped.closed()
    if (this.#engine && !this.#engine.reason) return
    this.#holder = undefined
    // The former process may still be writing to the folder.
    await this.#engine?.exited
    this.#engine = undefined
    this.#starting = this.#options.start()
    try {
      this.#engine = await this.#starting
    } finally {
      this.#starting = undefined
    }
    if (this.#isClosed) throw stopped.closed()
  }

  async #stopIdle(): Promise<void> {
    if (this.#isTaken) return
    this.#isTaken = true
    try {
      await this.#engine?.close()
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#engine = undefined
      this.give()
    }
  }

  async #setUpFor(client: SessionClient): Promise<void> {
    this.#holder = undefined
    await this.#ask(END_OF_TURN, CLEANING_MS)
    await this.#assertInStep()
    await this.#runAll([...CLEANING, ...client.prologue], CLEANING_MS)
    this.#holder = client
    client.onFresh()
  }

  /**
   * Kills an engine that has sent more answers than it was asked for: each caller would get the answer of the one
   * before.
   */
  async #assertInStep(): Promise<void> {
    const nonce = randomBytes(8).toString('hex')
    await this.#ask(query('rollback'), CLEANING_MS)
    const answer = await this.#ask(query(`select '${nonce}'`), CLEANING_MS)
    if (answer.some(({ type, body }) => type === 'D' && body.includes(nonce))) return
    const reason = stopped.protocolViolation('answers that nobody asked for')
    this.#engine?.kill(reason)
    throw reason
  }

  async #runAll(statements: readonly string[], limitMs: number): Promise<void> {
    for (const statement of statements) {
      const error = errorIn(await this.#ask(query(statement), limitMs))
      if (error !== undefined) throw new Error(error)
    }
  }

  async #ask(bytes: Buffer, limitMs: number): Promise<WireMessage[]> {
    const scanner = new AnswerScanner(PLATFORM_ANSWER)
    const parts: Buffer[] = []
    await this.exchange(bytes, limitMs, (part) => {
      parts.push(scanner.push(part))
      if (scanner.fault) throw scanner.fault
    })
    if (scanner.status === undefined) this.#engine?.kill(stopped.protocolViolation('an answer without an end'))
    if (this.#engine?.reason) throw this.#engine.reason
    return messagesOf(Buffer.concat(parts))
  }
}
