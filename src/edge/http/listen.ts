import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { type ErrorCode, notFound, ServiceError } from '#contract/core/errors.ts'
import { newId } from '../ids.ts'
import { isPlainPath } from './plain-path.ts'
import { problemResponse, toServiceError } from './problem.ts'
import type { ReadInfo } from './request-info.ts'
import type { ServiceFetch } from './route.ts'

export type Listener = AsyncDisposable & {
  readonly port: number
  readonly url: string
  /** How many connections are open, also those that are half-open. */
  openConnections(): Promise<number>
}

type ListenOptions = {
  host: string
  port: number
  fetch: ServiceFetch
  readInfo: ReadInfo
  onError: (error: unknown) => void
  timeouts?: Partial<Timeouts>
}

type Timeouts = {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** Without one byte moving, while the client has an answer to read. */
  stalledMs: number
  /** From the last byte we send on a connection that must close to its end, whatever the client does. */
  lingerMs: number
}

const TIMEOUTS: Timeouts = { headersMs: 15_000, requestMs: 60_000, stalledMs: 60_000, lingerMs: 1_000 }
/** How often Node looks for requests that take too long. */
const MAX_CHECK_INTERVAL_MS = 30_000
const STOP_GRACE_MS = 20_000

/** The answers under way on a connection, in the order of their requests. */
const UNANSWERED = Symbol('unanswered')
type Connection = Socket & { [UNANSWERED]?: Set<ServerResponse> }

/** Opens the one port of a process. Stopping takes no new request and finishes those that run. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const answer = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings
      const response = isPlainPath(incoming.url ?? '') ? await pass(request, incoming, options) : notPlain(newId('req'))
      if (!incoming.complete) leaveBodyUnread(incoming, outgoing, timeouts.lingerMs)
      // While stopping, a connection kept alive would only be waited for.
      if (!server.listening) outgoing.shouldKeepAlive = false
      return response
    },
    { errorHandler: (error) => outsideFault(error, options.onError), autoCleanupIncoming: false },
  )
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    remember(incoming.socket, outgoing)
    void answer(incoming, outgoing)
  }
  const server = createServer({ keepAlive: true, requireHostHeader: false, ...limitsOf(timeouts) }, handle)
  server.setTimeout(timeouts.stalledMs, (socket: Connection) => endIdle(socket, timeouts.stalledMs))
  server.on('checkContinue', (incoming, outgoing) => {
    // Sent when a handler reads the body, so that the client of a refused request need not send it.
    incoming.once('resume', () => outgoing.headersSent || outgoing.writeContinue())
    handle(incoming, outgoing)
  })
  server.on('checkExpectation', (_, outgoing) => {
    const refusal = new ServiceError('EXPECTATION_FAILED', 'Only `Expect: 100-continue` is supported.').toProblem(
      newId('req'),
    )
    outgoing.writeHead(refusal.status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(refusal))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    // Text written while an earlier request is unanswered would be read as the answer to that request.
    const earlier = [...(socket[UNANSWERED] ?? [])].findLast(({ req }) => req.complete)
    if (earlier) earlier.once('close', () => endThenDestroy(socket, timeouts.lingerMs))
    else refuseBrokenRequest(error, socket, timeouts.lingerMs)
  })
  await bind(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    port,
    url: `http://${host}:${port}`,
    openConnections: () => countConnections(server),
    [Symbol.asyncDispose]: () => stop(server),
  }
}

function limitsOf({ headersMs, requestMs }: Timeouts) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headersMs, MAX_CHECK_INTERVAL_MS),
  }
}

function remember(connection: Connection, outgoing: ServerResponse): void {
  const unanswered = connection[UNANSWERED] ?? new Set()
  connection[UNANSWERED] = unanswered
  unanswered.add(outgoing)
  outgoing.once('close', () => unanswered.delete(outgoing))
}

/**
 * Ends a connection on which nothing moves: kept alive without a request, or with bytes the client does not read.
 * One whose answer is still being worked out stays: how long that may take is up to the handler.
 */
function endIdle(socket: Connection, stalledMs: number): void {
  const isWorking = socket.writableLength === 0 && (socket[UNANSWERED]?.size ?? 0) > 0
  if (isWorking) socket.setTimeout(stalledMs)
  else socket.destroy()
}

/** Closes the connection after `text`. A client that neither reads nor closes cannot keep it half-open. */
function endThenDestroy(socket: Socket, lingerMs: number, text = ''): void {
  socket.end(text)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

function pass(
  request: Request,
  incoming: IncomingMessage,
  { readInfo, fetch: answer }: ListenOptions,
): Promise<Response> {
  // Node gives only `set-cookie` as a list, and no handler reads that header of a request.
  const headers = incoming.headers as Record<string, string | undefined>
  const head = { method: request.method, url: request.url, headers }
  return answer(request, readInfo(head, incoming.socket.remoteAddress ?? ''))
}

function notPlain(requestId: string): Response {
  return problemResponse(notFound(), 'json', requestId)
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Called when the answer is ready before the whole body arrived. The rest of the body is not read, so the connection
 * must end. Closing it at once would reset it, and a client that is still sending would lose the answer, so it lingers.
 */
function leaveBodyUnread(incoming: IncomingMessage, outgoing: ServerResponse, lingerMs: number): void {
  const { socket } = outgoing
  if (!socket || socket.destroyed) return
  outgoing.shouldKeepAlive = false
  // Marks the body as being read. Otherwise Node would read the rest of it and throw it away.
  incoming.read(0)
  socket.destroySoon = () => endThenDestroy(socket, lingerMs)
}

/**
 * Answers a request that Node's parser refused, or that did not arrive in time, and closes the connection. A handler
 * may be waiting for the rest of its body; the closed connection ends that wait.
 */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Connection, lingerMs: number): void {
  const isAnswering = [...(socket[UNANSWERED] ?? [])].some(({ headersSent }) => headersSent)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const [code, detail] = BROKEN[error.code ?? ''] ?? ['MALFORMED_REQUEST', 'The request is not valid HTTP.']
  const problem = new ServiceError(code, detail).toProblem(newId('req'))
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n`
  const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  endThenDestroy(socket, lingerMs, head + length + body)
}

const BROKEN: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request headers are too large. Send smaller headers.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time. Try again.'],
}

/** Answers faults outside any route: an address that cannot be parsed, or a bug in the listener. */
function outsideFault(error: unknown, onError: (error: unknown) => void): Response {
  const requestId = newId('req')
  if (error instanceof RequestError) {
    return problemResponse(new ServiceError('MALFORMED_REQUEST', 'The request URL is not valid.'), 'json', requestId)
  }
  onError(error)
  return problemResponse(toServiceError(error), 'json', requestId)
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const force = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS)
  await closed
  clearTimeout(force)
}
