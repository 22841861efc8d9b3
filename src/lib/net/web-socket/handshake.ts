import { createHash } from 'node:crypto'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Returns the proof that a server read a handshake (RFC 6455 section 4.2.2). */
function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${GUID}`).digest('base64')
}

/** Adds to the headers of a request for an app what asks for a WebSocket. */
export function askForSocket(headers: Headers, key: string): Headers {
  headers.delete('content-length')
  headers.set('connection', 'Upgrade')
  headers.set('upgrade', 'websocket')
  headers.set('sec-websocket-key', key)
  return headers
}

/** Whether an answer with status 101 opens a WebSocket that was asked for with this key. */
export function isAccepted(headers: Headers, key: string): boolean {
  const tokens = (headers.get('connection') ?? '').toLowerCase().split(',')
  return (
    headers.get('upgrade')?.toLowerCase() === 'websocket' &&
    tokens.some((token) => token.trim() === 'upgrade') &&
    headers.get('sec-websocket-accept') === acceptOf(key)
  )
}

/** Returns the head of the answer that opens a WebSocket for a client, with headers of the app's answer. */
export function acceptHead(headers: Headers, clientKey: string): string {
  for (const name of ['content-length', 'sec-websocket-accept', 'sec-websocket-key']) headers.delete(name)
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const own = `connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${acceptOf(clientKey)}\r\n`
  return `HTTP/1.1 101 Switching Protocols\r\n${own}${lines}\r\n`
}
