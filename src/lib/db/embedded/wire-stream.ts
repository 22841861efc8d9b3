import { Duplex } from 'node:stream'

/** Sends whole messages of the Postgres protocol and resolves with the server's answer. */
export type Wire = {
  open(): Promise<void>
  send(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>
  /** Aborted, with an error as its reason, when the engine answers no more. */
  readonly stopped: AbortSignal
}

const QUERY = 0x51
const SYNC = 0x53
const FLUSH = 0x48
const TERMINATE = 0x58

/** Stands in for node-postgres's socket and carries its bytes to an engine in a thread. */
export class WireStream extends Duplex {
  readonly #wire: Wire
  #unsent: Buffer = Buffer.alloc(0)
  #started = false

  constructor(wire: Wire) {
    super()
    this.#wire = wire
    const onStop = () => this.destroy(wire.stopped.reason as Error)
    wire.stopped.addEventListener('abort', onStop)
    this.once('close', () => wire.stopped.removeEventListener('abort', onStop))
    if (wire.stopped.aborted) onStop()
  }

  // The part of net.Socket that node-postgres calls.
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  connect(): this {
    this.#wire.open().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    )
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#unsent = this.#unsent.length === 0 ? chunk : Buffer.concat([this.#unsent, chunk])
    const { bytes, ends } = this.#takeWhole()
    const finish = () => {
      if (ends && !this.destroyed) this.push(null)
      done()
    }
    if (bytes.length === 0) {
      finish()
      return
    }
    this.#wire.send(bytes).then(
      (answer) => {
        if (!this.destroyed) this.push(answer)
        finish()
      },
      (error: Error) => done(error),
    )
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  /** Cuts off the longest run of whole messages that ends in one the server answers to. */
  #takeWhole(): { bytes: Uint8Array<ArrayBuffer>; ends: boolean } {
    let end = 0
    let at = 0
    for (;;) {
      const head = this.#started ? 1 : 0
      if (this.#unsent.length < at + head + 4) break
      const next = at + head + this.#unsent.readInt32BE(at + head)
      if (this.#unsent.length < next) break
      const type = this.#started ? this.#unsent[at]! : QUERY
      if (type === TERMINATE) return { bytes: copyOf(this.#unsent.subarray(0, end)), ends: true }
      this.#started = true
      at = next
      if (type === QUERY || type === SYNC || type === FLUSH) end = at
    }
    const bytes = copyOf(this.#unsent.subarray(0, end))
    this.#unsent = this.#unsent.subarray(end)
    return { bytes, ends: false }
  }
}

/** Copies into a buffer that can be transferred to a thread. */
function copyOf(view: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view)
}
