import { connect, type Socket } from 'node:net'
import { Agent, type buildConnector, type Dispatcher, Pool } from 'undici'
import { refuseInTransaction } from '../db/transaction-guard.ts'
import { bodyToSend } from './body-to-send.ts'
import { endToEnd } from './end-to-end-headers.ts'
import { type Answer, passOn } from './pass-on.ts'

/** Thrown if a request got no answer. */
export class SocketFetchError extends Error {
  override readonly name = 'SocketFetchError'
  /** Whether the server may have seen the request. False: it can be sent again. */
  readonly sent: boolean
  constructor(message: string, sent: boolean, cause: unknown) {
    super(message, { cause })
    this.sent = sent
  }
}

type SocketFetch = ((request: Request) => Promise<Response>) & AsyncDisposable
type HostAddress = { readonly host: string; readonly port: number }
type HostFetch = ((address: HostAddress, request: Request) => Promise<Response>) & AsyncDisposable

/** Called with each chunk of a connection, and with undefined at its end. */
export type OnReceived = (chunk: Buffer | undefined) => void

const CONNECT_MS = 5_000
/** A door may have this many requests under way, and from the gateway all of them go to the door of one worker. */
const MAX_CONNECTIONS = 1_024
const LIMITS = { connections: MAX_CONNECTIONS, pipelining: 0, headersTimeout: 5 * 60_000, bodyTimeout: 0 }

/**
 * Creates a fetch for an HTTP server behind a Unix socket. The other side of the socket sends one byte once the server
 * has accepted the connection. Each request has a connection of its own, so that none is lost because the server closes
 * an idle one at that moment. Bodies are streamed, nothing is decoded, redirects are returned. `watch` is called for
 * each new connection, and its result with what arrives there before anything else reads it.
 */
export function createSocketFetch(path: string, watch?: () => OnReceived | undefined): SocketFetch {
  const pool = new Pool('http://app', { ...LIMITS, connect: socketConnector(path, watch) })
  const socketFetch = (request: Request) => exchange(request, (options) => pool.request(options))
  return Object.assign(socketFetch, { [Symbol.asyncDispose]: () => pool.destroy() })
}

/** As above, over TCP. The host is chosen by svc, never by a user; the Host header is that of the request. */
export function createHostFetch(watch?: (address: HostAddress) => OnReceived | undefined): HostFetch {
  const agent = new Agent({ ...LIMITS, connect: hostConnector(watch) })
  const hostFetch = ({ host, port }: HostAddress, request: Request) =>
    exchange(request, (options) => agent.request({ ...options, origin: `http://${host}:${port}` }))
  return Object.assign(hostFetch, { [Symbol.asyncDispose]: () => agent.destroy() })
}

type Exchange = Pick<Dispatcher.RequestOptions, 'path' | 'method' | 'headers' | 'body' | 'signal'>

async function exchange(request: Request, send: (options: Exchange) => Promise<Answer>): Promise<Response> {
  refuseInTransaction('an outgoing HTTP call')
  const { pathname, search, host } = new URL(request.url)
  const headers = endToEnd([...request.headers].flat().filter((_, n, all) => all[n - (n % 2)] !== 'expect'))
  try {
    const answer = await send({
      path: pathname + search,
      method: request.method,
      headers: request.headers.has('host') ? headers : [...headers, 'host', host],
      body: await bodyToSend(request),
      signal: request.signal,
    })
    // An app may write any reason beside the status, and nobody reads it.
    return passOn({ ...answer, statusText: '' }, request)
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw new SocketFetchError('no answer', !(error instanceof NotAccepted), error)
  }
}

class NotAccepted extends Error {
  override readonly name = 'NotAccepted'
}

function socketConnector(path: string, watch?: () => OnReceived | undefined): buildConnector.connector {
  return (_options, callback) => void openSocket(path, watch?.(), callback)
}

function hostConnector(watch?: (address: HostAddress) => OnReceived | undefined): buildConnector.connector {
  return ({ hostname, port }, callback) => {
    const address = { host: hostname, port: Number(port) }
    openHost(address, watch?.(address), callback)
  }
}

type OnOpen = (...result: [null, Socket] | [Error, null]) => void
/** Opens a connection. Destroying the result gives up. */
export type OpenConnection = (callback: OnOpen) => Socket

/** Opens a connection as `createSocketFetch` does, without HTTP. Destroying the result gives up. */
export function openSocket(path: string, onReceived: OnReceived | undefined, callback: OnOpen): Socket {
  const socket = connect({ path })
  // The first byte says that the connection was accepted.
  watchReceived(socket, onReceived, 1)
  const fail = () => {
    socket.destroy()
    callback(new NotAccepted('the connection was not accepted'), null)
  }
  socket.once('close', fail).on('error', () => {})
  socket.once('readable', () => {
    if (socket.read(1) === null) return
    socket.off('close', fail)
    callback(null, socket)
  })
  return socket
}

/** Opens a connection as `createHostFetch` does, without HTTP. Destroying the result gives up. */
export function openHost(address: HostAddress, onReceived: OnReceived | undefined, callback: OnOpen): Socket {
  const socket = connect({ ...address, timeout: CONNECT_MS })
  watchReceived(socket, onReceived, 0)
  const fail = (cause?: unknown) => {
    socket.destroy()
    callback(new NotAccepted('the connection was not accepted', { cause }), null)
  }
  socket.once('error', fail).once('timeout', fail)
  socket.once('connect', () => {
    socket
      .on('error', () => {})
      .off('error', fail)
      .off('timeout', fail)
      .setTimeout(0)
    callback(null, socket)
  })
  return socket
}

/** Not by an event, which would come after the parser, and the parser may be what ends the process. */
function watchReceived(socket: Socket, onReceived: OnReceived | undefined, skippedBytes: number): void {
  if (!onReceived) return
  const push = socket.push.bind(socket)
  let skipped = skippedBytes
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    const fresh = chunk?.subarray(skipped)
    if (chunk) skipped = Math.max(0, skipped - chunk.length)
    if (fresh?.length !== 0) onReceived(fresh)
    return push(chunk, encoding)
  }
}
