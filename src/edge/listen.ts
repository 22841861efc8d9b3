import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { type ErrorCode, ServiceError } from '#contract/errors.ts'
import { newId } from '#lib/ids.ts'
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

/** Opens the one port of a process. Stopping takes no new request and finishes those that run. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const answer = getRequestListener(
    (request, bindings) => {
      const { incoming } = bindings as HttpBindings
      const info = options.readInfo(request, incoming.socket.remoteAddress ?? '')
      return options.fetch(request, info)
    },
    { errorHandler: (error) => outsideFault(error, options.onError), autoCleanupIncoming: false },
  )
  const server = createServer({ keepAlive: true, requestTimeout: 60_000, headersTimeout: 15_000 }, (incoming, outgoing) => {
    closeUnreadBody(incoming, outgoing)
    void answer(incoming, outgoing)
  })
  server.on('clientError', refuseBrokenRequest)
  await bind(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { port, url: `http://${host}:${port}`, [Symbol.asyncDispose]: () => stop(server) }
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

/** An answer given before the body was read leaves bytes on the connection that nobody will read. */
function closeUnreadBody(incoming: IncomingMessage, outgoing: { once(event: 'finish', run: () => void): unknown }): void {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return
  outgoing.once('finish', () => {
    if (!incoming.readableEnded) setImmediate(() => incoming.complete || incoming.socket.destroySoon())
  })
}

/** What Node's parser refuses never becomes a request; it is answered on the socket, which is then closed. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const code: ErrorCode = tooLarge ? 'HEADERS_TOO_LARGE' : 'MALFORMED_REQUEST'
  const detail = tooLarge ? 'send smaller headers' : timedOut ? 'the request took too long' : 'this is not HTTP'
  const problem = new ServiceError(code, detail).toProblem(newId('req'))
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
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
