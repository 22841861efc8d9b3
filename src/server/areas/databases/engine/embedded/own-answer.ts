import { type EngineStopped, stopped } from './engine-stopped.ts'
import { toMessage, type WireMessage } from './wire-messages.ts'

/**
 * Checks the messages of an engine for a driver inside our own process, which must not be harmed by them: its parser
 * reads past the end of a message that lies about its own counts, and loops on a text without an end. Messages are
 * passed on whole and only when their body is well formed.
 */
export class OwnAnswer {
  #head: Buffer = Buffer.alloc(0)
  /** The message that is being received, and how much of it is there. */
  #message: Buffer | undefined
  #filled = 0

  /** Returns the whole messages that can be passed on, or the reason why none of them may. */
  push(bytes: Buffer): Buffer | EngineStopped {
    const whole: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      at += this.#message ? this.#fill(this.#message, bytes, at) : this.#readHead(bytes, at)
      if (!this.#message || this.#filled < this.#message.length) continue
      if (!isWellFormed(toMessage(this.#message))) return stopped.protocolViolation('a malformed message')
      whole.push(this.#message)
      this.#message = undefined
    }
    return Buffer.concat(whole)
  }

  /** Makes room for the message that the head announces: copying parts together at each one would take its square. */
  #readHead(bytes: Buffer, at: number): number {
    const part = bytes.subarray(at, at + HEAD_BYTES - this.#head.length)
    this.#head = Buffer.concat([this.#head, part])
    if (this.#head.length === HEAD_BYTES) {
      this.#message = Buffer.allocUnsafe(1 + this.#head.readInt32BE(1))
      this.#filled = this.#head.copy(this.#message)
      this.#head = Buffer.alloc(0)
    }
    return part.length
  }

  #fill(message: Buffer, bytes: Buffer, at: number): number {
    const copied = bytes.copy(message, this.#filled, at)
    this.#filled += copied
    return copied
  }
}

const HEAD_BYTES = 5

/** https://www.postgresql.org/docs/15/protocol-message-formats.html */
export function isWellFormed({ type, body }: WireMessage): boolean {
  switch (type) {
    case 'Z':
      return body.length === 1 && 'ITE'.includes(String.fromCharCode(body[0]!))
    case 'C':
      return texts(body, 0, 1) === body.length
    case 'S':
      return texts(body, 0, 2) === body.length
    case 'A':
      return texts(body, 4, 2) === body.length
    case 'E':
    case 'N':
      return fields(body) === body.length
    case 'T':
      return columns(body) === body.length
    case 'D':
      return values(body) === body.length
    case 't':
      return body.length >= 2 && body.length === 2 + 4 * body.readUInt16BE(0)
    case 'G':
    case 'H':
      return body.length >= 3 && body.length === 3 + 2 * body.readUInt16BE(1)
    case 'V':
    case 'd':
      return true
    default:
      return body.length === 0
  }
}

/** Where `count` texts that begin at `at` end; -1 when one has no end. */
function texts(body: Buffer, at: number, count: number): number {
  let end = at
  for (let n = 0; n < count && end >= 0; n++) end = textEnd(body, end)
  return end
}

function textEnd(body: Buffer, at: number): number {
  const end = at <= body.length ? body.indexOf(0, at) : -1
  return end < 0 ? -1 : end + 1
}

/** Fields of an error: each a letter and a text, and a zero after the last. */
function fields(body: Buffer): number {
  let at = 0
  while (at >= 0 && at < body.length && body[at] !== 0) at = textEnd(body, at + 1)
  return at >= 0 && body[at] === 0 ? at + 1 : -1
}

/** Columns of a row: each a name and 18 bytes. */
function columns(body: Buffer): number {
  if (body.length < 2) return -1
  let at = 2
  for (let left = body.readUInt16BE(0); left > 0 && at >= 0; left--) {
    const named = textEnd(body, at)
    at = named < 0 || named + 18 > body.length ? -1 : named + 18
  }
  return at
}

/** Values of a row: each a length and as many bytes, or -1 for null. */
function values(body: Buffer): number {
  if (body.length < 2) return -1
  let at = 2
  for (let left = body.readUInt16BE(0); left > 0; left--) {
    if (at + 4 > body.length) return -1
    const length = body.readInt32BE(at)
    if (length < -1) return -1
    at += 4 + Math.max(length, 0)
  }
  return at
}
