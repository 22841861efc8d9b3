import { type ClientMessage, toMessage, type WireMessage } from './wire-messages.ts'

export class TooLong extends Error {
  override readonly name = 'TooLong'
}

const STARTUP_BYTES = 10_000

/** Takes from a stream only the bytes that are asked for, so that a sender that is too fast has to wait. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** Returns undefined when the other side has closed the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.#heldBytes < length) {
      const { value, done } = await this.#chunks.next()
      if (done) return undefined
      this.#held.push(value)
      this.#heldBytes += value.length
    }
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    this.#held = [all.subarray(length)]
    this.#heldBytes = all.length - length
    return all.subarray(0, length)
  }

  /** Reads a whole message of at most `limitBytes`. */
  async message(limitBytes: number): Promise<WireMessage | undefined> {
    const message = await this.beginMessage(limitBytes, limitBytes)
    return message && toMessage(message.bytes)
  }

  /**
   * Reads the begin of a message of at most `limitBytes`: its head and at most `heldBytes` of its body. `rest` bytes
   * follow.
   */
  async beginMessage(limitBytes: number, heldBytes: number): Promise<ClientMessage | undefined> {
    const head = await this.take(5)
    if (!head) return undefined
    const length = head.readInt32BE(1)
    if (length < 4 || length > limitBytes) throw new TooLong(`a message of ${length} bytes: at most ${limitBytes}`)
    const body = await this.take(Math.min(length - 4, heldBytes))
    if (!body) return undefined
    return { ...toMessage(Buffer.concat([head, body])), rest: length - 4 - body.length }
  }

  /** Reads the first packet of a connection, which has no type. */
  async startup(): Promise<Buffer | undefined> {
    const head = await this.take(4)
    if (!head) return undefined
    const length = head.readInt32BE(0)
    if (length < 8 || length > STARTUP_BYTES) throw new TooLong(`a first packet of ${length} bytes`)
    return this.take(length - 4)
  }
}
