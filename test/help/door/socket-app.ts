import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Agent, WebSocket } from 'undici'

export type OpenedSocket = { readonly request: IncomingMessage; readonly socket: Socket }

/** An app that accepts each WebSocket and hands it to the test, and answers other requests with its own words. */
export async function startSocketApp(onSocket: (opened: OpenedSocket, head: Buffer) => void) {
  const server = createServer((_, response) => void response.end('plain'))
  const sockets = new Set<Socket>()
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket
    sockets.add(socket)
    // Servers of Node keep the half that the other side did not close.
    socket.once('end', () => socket.end())
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.write(accepting(request.headers['sec-websocket-key'] ?? ''))
    onSocket({ request, socket }, head)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

/** The answer of a server that accepts a WebSocket, with the first protocol that every test offers. */
export function accepting(
  key: string,
  more = 'sec-websocket-protocol: chat\r\nset-cookie: a=1; Domain=test\r\n',
): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: WebSocket\r\n'
  return `${head}sec-websocket-accept: ${accept}\r\n${more}\r\n`
}

/** A frame of a server with a short text. */
export function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, Buffer.byteLength(text)]), Buffer.from(text)])
}

/** A frame of a client with a short text, masked with zeros. */
export function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]), Buffer.from(text)])
}

/** Calls back with the text of each short frame of a client, and closes when the client does. */
export function onText(socket: Socket, callback: (text: string) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 6 && rest.length >= 6 + (rest[1]! & 0x7f)) {
      const end = 6 + (rest[1]! & 0x7f)
      const mask = rest.subarray(2, 6)
      const text = rest.subarray(6, end).map((byte, n) => byte ^ mask[n % 4]!)
      if ((rest[0]! & 0x0f) === 1) callback(Buffer.from(text).toString())
      if ((rest[0]! & 0x0f) === 8) socket.end(Buffer.from([0x88, 2, 0x03, 0xe8]))
      rest = rest.subarray(end)
    }
  })
}

/** Opens a WebSocket to an app at the port of a door, as a browser does. Rejects if it is refused. */
export async function openWebSocket(port: number, label: string, headers: Record<string, string> = {}) {
  const lookup = (_: string, __: object, done: (error: null, found: { address: string; family: 4 }[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])
  const dispatcher = new Agent({ connect: { lookup } })
  const socket = new WebSocket(`ws://${label}.apps.test:${port}/room?n=1`, { protocols: ['chat'], headers, dispatcher })
  const texts: string[] = []
  let end: { code: number; wasClean: boolean } | undefined
  socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
  socket.addEventListener('error', () => {})
  socket.addEventListener('close', ({ code, wasClean }) => {
    end = { code, wasClean }
    void dispatcher.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('close', () => reject(new Error('refused')))
  })
  return { socket, texts, end: () => end }
}

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

type RawRequest = { line?: string; version?: string; key?: string; more?: string; upgrade?: string; after?: Buffer }

/** Sends a handshake byte by byte as given, on a connection that the test owns. */
export function sendHandshake(port: number, label: string, request: RawRequest = {}): Socket {
  const { line = 'GET / HTTP/1.1', version = '13', key = KEY, more = '', after = Buffer.alloc(0) } = request
  const upgrade = request.upgrade ?? 'connection: Upgrade\r\nupgrade: websocket\r\n'
  const handshake = `sec-websocket-version: ${version}\r\nsec-websocket-key: ${key}\r\n`
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
  socket.write(`${line}\r\nhost: ${label}.apps.test\r\n${upgrade}${handshake}${more}\r\n`)
  socket.write(after)
  return socket
}

/** Sends a handshake and returns all that is answered until the connection ends. */
export async function answerToHandshake(...sent: Parameters<typeof sendHandshake>): Promise<string> {
  return (await buffer(sendHandshake(...sent))).toString('latin1')
}
