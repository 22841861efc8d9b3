import { toMessage, type WireMessage } from './wire-messages.ts'

export class TooLong extends Error {
  override readonly name = 'TooLong'
}

/** Takes from a socket only what is asked for, so that a client that sends too fast waits. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** Undefined when the other side is gone. */
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

  async message(limitBytes: number): Promise<WireMessage | undefined> {
    const head = await this.take(5)
    if (!head) return undefined
    const length = head.readInt32BE(1)
    if (length < 4 || length > limitBytes) throw new TooLong(`a message of ${length} bytes`)
    const body = await this.take(length - 4)
    return body && toMessage(Buffer.concat([head, body]))
  }

  /** The first packet has no type. */
  async startup(): Promise<Buffer | undefined> {
    const head = await this.take(4)
    if (!head) return undefined
    const length = head.readInt32BE(0)
    if (length < 8 || length > 10_000) throw new TooLong(`a first packet of ${length} bytes`)
    return this.take(length - 4)
  }
}
