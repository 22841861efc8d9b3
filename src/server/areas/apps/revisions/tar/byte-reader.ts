const EMPTY = Buffer.alloc(0)

/** Reads a stream in pieces of chosen sizes. Holds one chunk of the stream and the piece that is being read. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #chunk: Buffer = EMPTY
  #ended = false

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next bytes, at most `max` of them. Empty at the end of the stream. */
  async take(max: number): Promise<Buffer> {
    while (this.#chunk.length === 0 && !this.#ended) {
      const { done, value } = await this.#source.next()
      if (done) this.#ended = true
      else this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const taken = this.#chunk.subarray(0, max)
    this.#chunk = this.#chunk.subarray(max)
    return taken
  }

  /** Returns exactly `size` bytes, or fewer if the stream ends before. Memory grows only with what has arrived. */
  async read(size: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let missing = size; missing > 0; ) {
      const piece = await this.take(missing)
      if (piece.length === 0) break
      pieces.push(piece)
      missing -= piece.length
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  /** Returns whether the stream had as many bytes. */
  async skip(size: number): Promise<boolean> {
    for (let missing = size; missing > 0; ) {
      const piece = await this.take(missing)
      if (piece.length === 0) return false
      missing -= piece.length
    }
    return true
  }

  /** Lets the source release what it holds. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
