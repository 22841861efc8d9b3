import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { type ErrorCode, ServiceError } from '#contract/errors.ts'
import { newId } from '#lib/ids.ts'
import { isPlainPath } from './plain-path.ts'
import { problemResponse, toServiceError } from './problem.ts'
import type { ReadInfo } from './request-info.ts'
import type { ServiceFetch } from './route.ts'

export type Listener = AsyncDisposable & { readonly port: number; readonly url: string }

export type ListenOptions = {
  host: string
  port: number
  fetch: ServiceFetch
  readInfo: ReadInfo
  onError: (error: unknown) => void
}

const STOP_GRACE_MS = 20_000
const LINGER_MS = 1_000

/** On each connection, its latest answer. */
const LATEST = Symbol('latest')
type Connection = Socket & { [LATEST]?: ServerResponse }

/** Opens the one port of a process. Stopping takes no new request and finishes those that run. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const answer = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings
      const response = isPlainPath(incoming.url ?? '') ? await pass(request, incoming, options) : notPlain(newId('req'))
      if (!incoming.complete) leaveBodyUnread(incoming, outgoing)
      // While stopping, a connection kept alive would only be waited for.
      if (!server.listening) outgoing.shouldKeepAlive = false
      return response
    },
    { errorHandler: (error) => outsideFault(error, options.onError), autoCleanupIncoming: false },
  )
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    ;(incoming.socket as Connection)[LATEST] = outgoing
    void answer(incoming, outgoing)
  }
  const limits = { requestTimeout: 60_000, headersTimeout: 15_000, requireHostHeader: false }
  const server = createServer({ keepAlive: true, ...limits }, handle)
  server.on('checkContinue', (incoming, outgoing) => {
    // Asked for only when somebody wants the body: a request that is refused is spared sending it.
    incoming.once('resume', () => outgoing.headersSent || outgoing.writeContinue())
    handle(incoming, outgoing)
  })
  server.on('checkExpectation', (_, outgoing) => {
    const refusal = new ServiceError('EXPECTATION_FAILED', 'only `Expect: 100-continue` can be met').toProblem(
      newId('req'),
    )
    outgoing.writeHead(refusal.status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(refusal))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    // While an earlier request is unanswered, what is said now would be read as the answer to that one.
    const before = socket[LATEST]
    if (before && !before.closed) before.once('close', () => socket.destroySoon())
    else refuseBrokenRequest(error, socket)
  })
  await bind(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { port, url: `http://${host}:${port}`, [Symbol.asyncDispose]: () => stop(server) }
}

function pass(
  request: Request,
  incoming: IncomingMessage,
  { readInfo, fetch: answer }: ListenOptions,
): Promise<Response> {
  // Only `set-cookie` is ever a list, and nobody asks for that one.
  const headers = incoming.headers as Record<string, string | undefined>
  const head = { method: request.method, url: request.url, headers }
  return answer(request, readInfo(head, incoming.socket.remoteAddress ?? ''))
}

function notPlain(requestId: string): Response {
  return problemResponse(new ServiceError('NOT_FOUND', 'there is nothing here'), 'json', requestId)
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
 * The answer is ready and the body is not all here: the rest is not read, so the connection must end. Closing it at
 * once would reset it and take the answer away from a client that is still sending, so it lingers a moment.
 */
function leaveBodyUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = outgoing
  if (!socket || socket.destroyed) return
  outgoing.shouldKeepAlive = false
  // Counts as reading, so that Node does not read the rest only to throw it away.
  incoming.read(0)
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}

/** What Node's parser refuses never becomes a request; it is answered on the socket, which is then closed. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [code, detail] = BROKEN[error.code ?? ''] ?? ['MALFORMED_REQUEST', 'this is not HTTP']
  const problem = new ServiceError(code, detail).toProblem(newId('req'))
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const BROKEN: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'send smaller headers'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request took too long to arrive'],
}

/** Faults outside any route: an address that is none, or a bug in the listener. */
function outsideFault(error: unknown, onError: (error: unknown) => void): Response {
  const requestId = newId('req')
  if (error instanceof RequestError) {
    return problemResponse(new ServiceError('MALFORMED_REQUEST', 'the address cannot be read'), 'json', requestId)
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
