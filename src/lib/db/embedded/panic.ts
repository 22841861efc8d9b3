const READY_BYTES = 6
const READY = 0x5a
const ERROR = 0x45

/**
 * Returns the error with severity PANIC or FATAL in an answer, after which the engine is dead, or undefined. Such an
 * answer lacks the message that the engine is ready, so a driver would wait without end.
 */
export function panicIn(answer: Uint8Array): Error | undefined {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.length)
  if (bytes.length >= READY_BYTES && bytes[bytes.length - READY_BYTES] === READY) return undefined
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] !== ERROR) continue
    const fields = fieldsOf(bytes.subarray(at + 5, at + 1 + bytes.readInt32BE(at + 1)))
    const severity = fields.get('V') ?? fields.get('S')
    if (severity !== 'PANIC' && severity !== 'FATAL') continue
    const message = `the embedded database stopped: ${fields.get('M') ?? 'no reason given'}`
    // 57P02: the server ended after a crash.
    return Object.assign(new Error(message), { code: fields.get('C') === '53100' ? '53100' : '57P02' })
  }
  return undefined
}

/** https://www.postgresql.org/docs/current/protocol-error-fields.html */
function fieldsOf(body: Buffer): Map<string, string> {
  const parts = body.toString('utf8').split('\0')
  return new Map(parts.filter((part) => part !== '').map((part) => [part[0]!, part.slice(1)]))
}
