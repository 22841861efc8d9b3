const CLOSE = 8
const MAX_HEADER_BYTES = 14

/**
 * Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2) and keeps none of their contents, so that a
 * frame can be added between two others. What is no WebSocket is followed as if it were: lengths alone are read.
 */
export class Frames {
  readonly #header = Buffer.alloc(MAX_HEADER_BYTES)
  #headerBytes = 0
  #payloadLeft = 0
  #hasClosed = false

  get isBetweenFrames(): boolean {
    return this.#payloadLeft === 0 && this.#headerBytes === 0
  }

  /** Whether a close frame was there. */
  get hasClosed(): boolean {
    return this.#hasClosed
  }

  /** Follows a chunk, with `untilEnd` only to the end of the current frame. Returns how many bytes were followed. */
  follow(chunk: Buffer, untilEnd = false): number {
    let at = 0
    while (at < chunk.length) {
      if (untilEnd && this.isBetweenFrames) break
      if (this.#payloadLeft > 0) {
        const count = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= count
        at += count
      } else {
        this.#header[this.#headerBytes++] = chunk[at++]!
        if (this.#headerBytes === headerLength(this.#header, this.#headerBytes)) this.#begin()
      }
    }
    return at
  }

  #begin(): void {
    this.#headerBytes = 0
    this.#payloadLeft = payloadLength(this.#header)
    if ((this.#header[0]! & 0x0f) === CLOSE) this.#hasClosed = true
  }
}

function headerLength(header: Buffer, read: number): number {
  if (read < 2) return 2
  const length = header[1]! & 0x7f
  const more = length === 127 ? 8 : length === 126 ? 2 : 0
  const mask = header[1]! & 0x80 ? 4 : 0
  return 2 + more + mask
}

function payloadLength(header: Buffer): number {
  const length = header[1]! & 0x7f
  if (length === 126) return header.readUInt16BE(2)
  return length === 127 ? Number(header.readBigUInt64BE(2)) : length
}

/** Returns a close frame of a server (RFC 6455 section 5.5.1). */
export function closeFrame(code: number): Buffer {
  return Buffer.from([0x80 | CLOSE, 2, code >> 8, code & 0xff])
}
