import { type EngineStopped, stopped } from './engine-stopped.ts'
import type { TransactionStatus } from './wire-messages.ts'

export type AnswerLimits = { rowBytes: number; answerBytes: number }

/** Memory that a message costs the receiver beside its bytes: an object, and its place in a list. */
const MESSAGE_OVERHEAD_BYTES = 100

/**
 * Types of messages that an engine may send once a client is logged in. Requests for a password are not among them: a
 * driver would answer one at any time, and the engine would learn the password.
 */
const ALLOWED = new Set('123ACDEGHINSTVZcdnst')
const HEAD_BYTES = 5
const READY = 'Z'
const COPY_IN = 'G'
/** CommandComplete, ErrorResponse, ReadyForQuery. A notice may come in the middle of a COPY. */
const ENDS_COPY = 'CEZ'

/**
 * Follows the messages in an engine's answer while it is passed on in pieces. `fault` is set at a message that an
 * engine may not send, or that exceeds the limits; what came before it can still be passed on, up to a whole message.
 */
export class AnswerScanner {
  readonly #limits: AnswerLimits
  readonly #onMessage: (type: string) => void
  /** The begin of a message's head, held back until it is known what it announces. */
  #head: Buffer = Buffer.alloc(0)
  #bodyLeft = 0
  #type = ''
  #total = 0
  #takesCopyData: boolean | undefined
  #status: TransactionStatus | undefined
  #fault: EngineStopped | undefined

  /** `onMessage` is called with the type of each message when it begins. */
  constructor(limits: AnswerLimits, onMessage: (type: string) => void = () => {}) {
    this.#limits = limits
    this.#onMessage = onMessage
  }

  /** Whether the engine now takes the data of a COPY; undefined when the answer did not change that. */
  get takesCopyData(): boolean | undefined {
    return this.#takesCopyData
  }

  get fault(): EngineStopped | undefined {
    return this.#fault
  }

  /** True between two messages, where the connection can still carry one of our own. */
  get isBetweenMessages(): boolean {
    return this.#bodyLeft === 0 && this.#head.length === 0
  }

  /** Set when the last message was ReadyForQuery: the engine waits for the next statement. */
  get status(): TransactionStatus | undefined {
    return this.#type === READY && this.isBetweenMessages ? this.#status : undefined
  }

  /** Returns the bytes that can be passed on now. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    this.#head = Buffer.alloc(0)
    let at = 0
    for (;;) {
      const skipped = Math.min(this.#bodyLeft, bytes.length - at)
      if (this.#type === READY && skipped > 0) this.#status = String.fromCharCode(bytes[at]!) as TransactionStatus
      at += skipped
      this.#bodyLeft -= skipped
      if (bytes.length - at < HEAD_BYTES) break
      this.#fault = this.#begin(bytes, at)
      if (this.#fault) return bytes.subarray(0, at)
      at += HEAD_BYTES
    }
    this.#head = this.#bodyLeft > 0 ? this.#head : Buffer.from(bytes.subarray(at))
    return bytes.subarray(0, bytes.length - this.#head.length)
  }

  /** Returns why the message that begins here must not be passed on, if it must not. */
  #begin(bytes: Buffer, at: number): EngineStopped | undefined {
    const type = String.fromCharCode(bytes[at]!)
    const length = bytes.readInt32BE(at + 1)
    const { rowBytes, answerBytes } = this.#limits
    if (!ALLOWED.has(type)) return stopped.protocolViolation('a message of an unknown type')
    if (length < 4 || (type === READY && length !== 5)) return stopped.protocolViolation('a message of a false length')
    if (length > rowBytes) return stopped.rowTooLarge(rowBytes)
    this.#total += length + MESSAGE_OVERHEAD_BYTES
    if (this.#total > answerBytes) return stopped.answerTooLarge(answerBytes)
    if (type === COPY_IN) this.#takesCopyData = true
    else if (ENDS_COPY.includes(type)) this.#takesCopyData = false
    this.#onMessage(type)
    this.#type = type
    this.#bodyLeft = length - 4
    return undefined
  }
}
