/** Messages of the Postgres protocol 3.0: https://www.postgresql.org/docs/15/protocol-message-formats.html */
export type WireMessage = { type: string; body: Buffer; bytes: Buffer }
/** A client's message of which only the begin was read. `rest` bytes of its body follow. */
export type ClientMessage = WireMessage & { rest: number }

/** Builds a message. Texts become C strings; buffers are taken as they are. */
export function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export const query = (text: string): Buffer => message('Q', text)

/**
 * Ends whatever a client left unfinished: a COPY fails, and an extended query ends. Harmless where there is neither.
 */
export const END_OF_TURN = Buffer.concat([message('f', 'the connection was closed'), message('S')])
export const FLUSH = message('H')

export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}`, `V${severity}`, `C${code}`, `M${text}`, Buffer.from([0]))
}

export function ready(status: TransactionStatus): Buffer {
  return message('Z', Buffer.from(status, 'latin1'))
}

/** `I`: idle, `T`: in a transaction, `E`: in a transaction that failed. */
export type TransactionStatus = 'I' | 'T' | 'E'

export function messagesOf(bytes: Buffer): WireMessage[] {
  const found: WireMessage[] = []
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    found.push(toMessage(bytes.subarray(at, end)))
    at = end
  }
  return found
}

export function toMessage(bytes: Buffer): WireMessage {
  return { type: String.fromCharCode(bytes[0]!), body: bytes.subarray(5), bytes }
}

/** Returns the text of the first error in an answer, or undefined. */
export function errorIn(answer: readonly WireMessage[]): string | undefined {
  const error = answer.find(({ type }) => type === 'E')
  const field = error?.body
    .toString()
    .split('\0')
    .find((part) => part.startsWith('M'))
  return field?.slice(1)
}

export function cStrings(body: Buffer): string[] {
  return body.toString().split('\0')
}
