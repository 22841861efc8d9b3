import type { Duplex } from 'node:stream'
import { type AnswerLimits, AnswerScanner } from './answer-scanner.ts'
import { ByteReader } from './byte-reader.ts'
import { EngineStopped, stopped } from './engine-stopped.ts'
import { isWellFormed, OwnAnswer } from './own-answer.ts'
import type { Session, SessionClient } from './session.ts'
import { Statements } from './statements.ts'
import { passesScram, readStartup, type Startup } from './wire-login.ts'
import { type ClientMessage, errorResponse, FLUSH, messagesOf, type TransactionStatus } from './wire-messages.ts'
import { faultOf, greeting, sessionClient, type WireLogin } from './wire-session.ts'

type Options = {
  /** Whether the client is a driver inside our own process. */
  isOwn?: boolean
  find: (startup: Startup) => Promise<WireLogin | undefined>
  /** Called when the client said who it is. */
  onStartup: () => void
  /** Called when the password was right. Throws when there are too many connections to this database. */
  onLogin: (startup: Startup) => void
  idleInTransactionMs: number
}

const MESSAGE_BYTES = 64 * 1024 * 1024
/** How many bytes of a client's message are held at once; longer messages are passed on in parts. */
const HELD_BYTES = 64 * 1024
const LOGIN_MS = 10_000
/** Messages after which a client waits for an answer: Query, Sync, Flush, FunctionCall, CopyDone, CopyFail. */
const ENDS_BATCH = 'QSHFcf'
const COPY_MESSAGES = 'dcf'
/** The types of messages a client may send once it is logged in. A password is not one of them. */
const CLIENT_MESSAGES = 'QPBDESHCFdcfX'
/** The limits of the answer to a statement that is sent to the engine again. */
const CONFIRMATION_LIMITS = { rowBytes: 1024 * 1024, answerBytes: 1024 * 1024 }
const CLOSE_MS = 1_000

/** Serves one client from its first byte to its last. */
export class WireConnection {
  readonly #socket: Duplex
  readonly #reader: ByteReader
  readonly #options: Options
  readonly #statements = new Statements()
  #session!: Session
  #client!: SessionClient
  #limits!: AnswerLimits
  #holdsSession = false
  /** Parts of messages that the engine was not sent yet. */
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isMidMessage = false
  #isCopyingIn = false
  #isMidAnswer = false
  #hasEnded = false
  #status: TransactionStatus = 'I'

  constructor(socket: Duplex, options: Options) {
    this.#socket = socket
    this.#reader = new ByteReader(socket)
    this.#options = options
  }

  async serve(): Promise<void> {
    try {
      if (await this.#login()) await this.#serveMessages()
    } catch (error) {
      this.#end(...faultOf(error))
    } finally {
      this.#leave()
      if (!this.#hasEnded) this.#socket.destroy()
    }
  }

  async #login(): Promise<boolean> {
    const timer = setTimeout(() => this.#socket.destroy(), LOGIN_MS)
    try {
      const write = (bytes: Buffer) => void this.#socket.write(bytes)
      const startup = await readStartup(this.#reader, write)
      if (!startup) return false
      this.#options.onStartup()
      const login = await this.#options.find(startup)
      if (!(await passesScram(this.#reader, write, login?.verifier)) || !login) {
        this.#end('28P01', `password authentication failed for user "${startup.user}"`)
        return false
      }
      clearTimeout(timer)
      this.#options.onLogin(startup)
      this.#session = login.session()
      this.#client = sessionClient(login, startup, this.#statements)
      this.#limits = this.#options.isOwn ? login.ownAnswer : login.answer
      write(greeting(startup, await this.#session.serverVersion()))
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  async #serveMessages(): Promise<void> {
    for (let next = await this.#next(); next && next.type !== 'X'; next = await this.#next()) {
      if (this.#hasEnded) return
      if (!CLIENT_MESSAGES.includes(next.type)) throw new Error('invalid frontend message type')
      if (COPY_MESSAGES.includes(next.type) && !this.#isCopyingIn) await this.#skipRest(next.rest)
      else await this.#accept(next)
    }
  }

  /** Reads the next message. A client that holds the session in a transaction must send it within the idle limit. */
  async #next(): Promise<ClientMessage | undefined> {
    return this.#withinIdleLimit(() => this.#reader.beginMessage(MESSAGE_BYTES, HELD_BYTES))
  }

  async #withinIdleLimit<T>(read: () => Promise<T>): Promise<T> {
    const { idleInTransactionMs } = this.#options
    const tooLong = () => {
      this.#end('25P03', `rolled back: idle in a transaction for ${idleInTransactionMs / 1000} seconds`)
    }
    const timer = this.#holdsSession ? setTimeout(tooLong, idleInTransactionMs) : undefined
    return read().finally(() => clearTimeout(timer))
  }

  async #accept(message: ClientMessage): Promise<void> {
    await this.#takeSession()
    const missing = this.#statements.note(message)
    if (missing !== undefined) await this.#sendAgain(missing)
    this.#isMidMessage = message.rest > 0
    await this.#queue(message.bytes)
    for (let rest = message.rest; rest > 0; ) {
      const part = await this.#withinIdleLimit(() => this.#reader.take(Math.min(rest, HELD_BYTES)))
      if (!part) throw new Error('the client went away in the middle of a message')
      rest -= part.length
      this.#isMidMessage = rest > 0
      await this.#queue(part)
    }
    if (ENDS_BATCH.includes(message.type)) await this.#sendPending()
  }

  async #queue(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes >= HELD_BYTES) await this.#sendPending()
  }

  /** Sends what is queued and passes the answer on. The session is free again when no transaction is open after it. */
  async #sendPending(): Promise<void> {
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    const scanner = new AnswerScanner(this.#limits, (type) => this.#statements.onAnswer(type))
    const own = this.#options.isOwn ? new OwnAnswer() : undefined
    await this.#session.exchange(bytes, this.#client.statementMs, async (part) => {
      const passed = scanner.push(part)
      const whole = own ? own.push(passed) : passed
      if (whole instanceof EngineStopped) throw whole
      this.#isMidAnswer = !own && !scanner.isBetweenMessages
      await this.#write(whole)
      if (scanner.fault) throw scanner.fault
    })
    this.#assertWhole(scanner)
    this.#isCopyingIn = scanner.takesCopyData ?? this.#isCopyingIn
    this.#status = scanner.status ?? 'T'
    if (scanner.status !== undefined) this.#statements.onIdle()
    if (this.#status === 'I') this.#giveSession()
  }

  /** Ends an engine that left a message unfinished: the client would read the next message as its rest. */
  #assertWhole(scanner: AnswerScanner): void {
    if (scanner.isBetweenMessages) return
    this.#session.abandon(stopped.leftOpen())
    throw stopped.leftOpen()
  }

  /**
   * Sends the engine a statement again that it forgot. The client had its confirmation before, so it gets no second
   * one.
   */
  async #sendAgain(name: string): Promise<void> {
    if (this.#pendingBytes > 0) await this.#sendPending()
    const scanner = new AnswerScanner(CONFIRMATION_LIMITS)
    const parts: Buffer[] = []
    const bytes = Buffer.concat([this.#statements.parseMessage(name), FLUSH])
    await this.#session.exchange(bytes, this.#client.statementMs, (part) => {
      parts.push(scanner.push(part))
      if (scanner.fault) throw scanner.fault
    })
    this.#assertWhole(scanner)
    for (const answer of messagesOf(Buffer.concat(parts))) {
      if (!isWellFormed(answer)) throw stopped.protocolViolation('a malformed message')
      if (answer.type === '1') this.#statements.markKnown(name)
      else await this.#write(answer.bytes)
    }
  }

  async #skipRest(rest: number): Promise<void> {
    for (let left = rest; left > 0; ) {
      const part = await this.#withinIdleLimit(() => this.#reader.take(Math.min(left, HELD_BYTES)))
      if (!part) return
      left -= part.length
    }
  }

  async #takeSession(): Promise<void> {
    if (this.#holdsSession) return
    if (this.#socket.destroyed) throw new Error('the client went away')
    const clientClosed = new AbortController()
    const onClose = () => clientClosed.abort()
    this.#socket.once('close', onClose)
    await this.#session.take(this.#client, clientClosed.signal).finally(() => this.#socket.off('close', onClose))
    this.#holdsSession = true
  }

  #giveSession(): void {
    this.#holdsSession = false
    this.#session.give()
  }

  /** An open transaction is rolled back when the next connection takes the session. */
  #leave(): void {
    if (!this.#holdsSession) return
    if (this.#isMidMessage) this.#session.abandon()
    this.#giveSession()
  }

  /** Waits until the client took the bytes; throws when it is clientClosed, so that nobody computes answers for it. */
  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length > 0 && !this.#socket.destroyed && !this.#socket.write(bytes)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#socket.once('drain', resolve).once('close', resolve)
      await promise.finally(() => this.#socket.off('drain', resolve).off('close', resolve))
    }
    if (this.#socket.destroyed) throw new Error('the client went away')
  }

  /** Sends the error and closes the connection. In the middle of an answer an error would be read as part of it. */
  #end(code: string, text: string): void {
    if (this.#hasEnded || this.#socket.destroyed) return
    this.#hasEnded = true
    if (this.#isMidAnswer) {
      this.#socket.destroy()
      return
    }
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS)
    this.#socket.once('close', () => clearTimeout(timer))
    this.#socket.end(errorResponse('FATAL', code, text), () => this.#socket.destroy())
  }
}
