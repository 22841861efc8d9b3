import type { Socket } from 'node:net'

/** One answer of a hostile server: parts that are sent one after another, and how the connection ends. */
type HostileAnswer = {
  readonly parts: readonly string[]
  readonly end: 'end' | 'reset' | 'hang'
  /** Sent before the request has arrived whole. */
  readonly isEarly: boolean
}

const STATUSES = ['200', '204', '304', '099', '000', '100', '101', '103', '199', '600', '999', '1000', '-1', 'abc', '']
const HEADERS = [
  'x-odd: a\0b',
  ': no-name',
  'no-colon',
  'x y: z',
  'x-high: \xff\xfe',
  'x-utf8: \xc3\xa9\xf0\x9f\x92\xa9',
  `x-long: ${'l'.repeat(20_000)}`,
  'connection: upgrade, close, content-length',
  'upgrade: websocket',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: identity',
  'content-length: 5',
  'content-length: 5, 5',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'content-encoding: gzip',
  'trailer: x-after',
  'set-cookie: a=1; Domain=localhost',
  'set-cookie: \x01',
  'location: //evil\x0b',
  'alt-svc: h3=":443"',
  'keep-alive: timeout=0',
  ' folded: value\r\n and more',
  '__proto__: x',
  'constructor: x',
]
const BODIES = [
  '',
  'hello',
  'hello and more than was said',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nx-after: yes\r\nx-odd: \0\r\n\r\n',
  'ffffffffffffffff\r\nhello',
  '5;ext=\0\r\nhello\r\n',
  '0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nsecond',
  'x'.repeat(70_000),
]
const STARTS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0', 'SSH-2.0', 'ICY', '']

/** Makes the same answers from the same source of random numbers. */
export function hostileAnswer(random: () => number): HostileAnswer {
  const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const isPlain = random() < 0.7
  const start = isPlain ? 'HTTP/1.1' : oneOf(STARTS)
  const headers = Array.from({ length: Math.floor(random() * 4) }, () => `${oneOf(HEADERS)}\r\n`).join('')
  const informational =
    random() < 0.1 ? 'HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n'.repeat(1 + Math.floor(random() * 50)) : ''
  const whole = `${informational}${start} ${oneOf(STATUSES)} Odd\r\n${headers}\r\n${oneOf(BODIES)}`
  const cut = random() < 0.5 ? whole.length : Math.floor(random() * Math.min(whole.length, 300))
  const middle = Math.floor(random() * cut)
  return {
    parts: random() < 0.5 ? [whole.slice(0, cut)] : [whole.slice(0, middle), whole.slice(middle, cut)],
    end: oneOf(['end', 'end', 'reset', 'reset', 'hang'] as const),
    isEarly: random() < 0.3,
  }
}

/** Speaks an answer on a connection. A connection that hangs is ended by its client or after a moment. */
export function speak(socket: Socket, { parts, end, isEarly }: HostileAnswer): void {
  const send = async () => {
    for (const part of parts) {
      socket.write(Buffer.from(part, 'latin1'))
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (end === 'reset') socket.resetAndDestroy()
    else if (end === 'end') socket.end()
    else setTimeout(() => socket.destroy(), 50).unref()
  }
  if (isEarly) return void socket.once('data', () => void send())
  let received = ''
  const onData = (data: Buffer) => {
    received = (received + data.toString('latin1')).slice(-100_000)
    if (!received.includes('\r\n\r\n')) return
    socket.off('data', onData).resume()
    void send()
  }
  socket.on('data', onData)
}
