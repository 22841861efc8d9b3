import type { Socket } from 'node:net'
import { ByteReader } from './byte-reader.ts'
import { copyIn, mayCopyIn } from './copy-in.ts'
import type { Seat, Session } from './session.ts'
import { guarded, Statements } from './statements.ts'
import { passesScram, readStartup, type Startup } from './wire-login.ts'
import { errorResponse, messagesOf, statusAfter, type TransactionStatus, type WireMessage } from './wire-messages.ts'
import { faultOf, greeting, type Login, seatOf } from './wire-seat.ts'

type Options = {
  find: (startup: Startup) => Promise<Login | undefined>
  serverVersion: (session: Session) => Promise<string>
  idleInTransactionMs: number
}

export const MESSAGE_BYTES = 64 * 1024 * 1024
const LOGIN_MS = 10_000
const ENDS_BATCH = 'QSHF'

/** One client from its first byte to its last. */
export class WireConnection {
  readonly #socket: Socket
  readonly #reader: ByteReader
  readonly #options: Options
  readonly #statements = new Statements()
  #session!: Session
  #seat!: Seat
  #holds = false
  #status: TransactionStatus = 'I'

  constructor(socket: Socket, options: Options) {
    this.#socket = socket
    this.#reader = new ByteReader(socket)
    this.#options = options
  }

  async serve(): Promise<void> {
    try {
      if (await this.#login()) await this.#serveBatches()
    } catch (error) {
      this.#end(...faultOf(error, this.#seat?.statementMs))
    } finally {
      await this.#leave()
      this.#socket.destroy()
    }
  }

  async #login(): Promise<boolean> {
    const timer = setTimeout(() => this.#socket.destroy(), LOGIN_MS)
    try {
      const write = (bytes: Buffer) => void this.#socket.write(bytes)
      const startup = await readStartup(this.#reader, write)
      if (!startup) return false
      const login = await this.#options.find(startup)
      if (!(await passesScram(this.#reader, write, login?.verifier)) || !login) {
        this.#end('28P01', `password authentication failed for user "${startup.user}"`)
        return false
      }
      clearTimeout(timer)
      this.#session = await login.session()
      this.#seat = seatOf(login, startup, this.#statements)
      write(greeting(startup, await this.#options.serverVersion(this.#session)))
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  async #serveBatches(): Promise<void> {
    for (let batch = await this.#batch(); batch; batch = await this.#batch()) {
      await this.#take()
      const first = batch[0]!
      const answer = mayCopyIn(first) ? await copyIn(first, this.#copySide()) : await this.#answer(batch)
      await this.#write(answer)
      if (this.#status === 'I') this.#give()
    }
  }

  /** Messages up to one that is answered. Undefined when the client leaves. */
  async #batch(): Promise<WireMessage[] | undefined> {
    const batch: WireMessage[] = []
    for (;;) {
      const next = await this.#next()
      if (!next || next.type === 'X') return undefined
      if (next.type === 'd' || next.type === 'c' || next.type === 'f') continue
      batch.push(next)
      if (ENDS_BATCH.includes(next.type)) return batch
    }
  }

  /** Whoever holds the session in a transaction must not sleep on it. */
  async #next(): Promise<WireMessage | undefined> {
    const { idleInTransactionMs } = this.#options
    const tooLong = () => {
      this.#end('25P03', `rolled back: idle in a transaction for ${idleInTransactionMs / 1000} seconds`)
    }
    const timer = this.#holds ? setTimeout(tooLong, idleInTransactionMs) : undefined
    try {
      return await this.#reader.message(MESSAGE_BYTES)
    } finally {
      clearTimeout(timer)
    }
  }

  async #answer(batch: readonly WireMessage[]): Promise<Buffer> {
    const untold = this.#statements.before(batch)
    if (untold) await this.#send(untold)
    return this.#send(guarded(batch))
  }

  async #send(bytes: Buffer): Promise<Buffer> {
    const answer = await this.#session.send(bytes, this.#seat.statementMs)
    // Only asked to flush: more of the same is to come, and nobody else may come in between.
    this.#status = statusAfter(messagesOf(answer)) ?? 'T'
    return answer
  }

  #copySide() {
    return {
      status: () => this.#status,
      send: (bytes: Buffer) => this.#send(bytes),
      write: (bytes: Buffer) => this.#write(bytes),
      next: () => this.#next(),
      take: () => this.#take(),
      give: () => this.#give(),
    }
  }

  async #take(): Promise<void> {
    if (this.#holds) return
    await this.#session.take(this.#seat)
    this.#holds = true
  }

  #give(): void {
    this.#holds = false
    this.#session.give()
  }

  /** What is left open is rolled back when the next one takes the session. */
  async #leave(): Promise<void> {
    if (this.#holds) this.#give()
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.once('drain', resolve).once('close', resolve)
    await promise.finally(() => this.#socket.off('drain', resolve).off('close', resolve))
  }

  #end(code: string, text: string): void {
    if (!this.#socket.destroyed) this.#socket.end(errorResponse('FATAL', code, text), () => this.#socket.destroy())
  }
}
