import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { type ErrorCode, notFound, ServiceError } from '#contract/core/errors.ts'
import { problemResponse, toServiceError } from '../format/problem.ts'
import { newId } from '../ids.ts'
import type { RequestInfo, ServiceFetch } from '../route/route.ts'
import { type BodyRateOf, createBodyRates, hasBody, IncomingBodies } from './body-rate.ts'
import { type Connection, endIdle, leaveBodyUnread, onAnswersEnd, refuseConnection, trackAnswer } from './connection.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { Incoming } from './incoming.ts'
import { isPlainPath } from './plain-path.ts'
import { findRepeatedHeader } from './repeated-header.ts'
import type { ReadInfo } from './request-info.ts'
import { type AnswerUpgrade, answerUpgrades, isWebSocketUpgrade } from './upgrade.ts'

export type Listener = AsyncDisposable & {
  readonly port: number
  readonly url: string
  /** Counts the open connections, including half-open ones. */
  openConnections(): Promise<number>
  /** Goes on listening, but closes each connection after its next answer, so that clients connect elsewhere. */
  drain(): void
}

export type ListenOptions = {
  host: string
  port: number
  fetch: ServiceFetch
  /** Without it requests for WebSocket are requests like others. A connection that it takes over has no limit of this file. */
  upgrade?: AnswerUpgrade
  readInfo: ReadInfo
  onError: (error: unknown) => void
  /** Returns the minimum rate of a request's body. Without it MIN_BODY_RATE holds for every request. */
  bodyRateOf?: BodyRateOf
  timeouts?: Partial<Timeouts>
  /** Without it connections are not limited. */
  connections?: ConnectionLimits
  /** Without it Node's own limits hold. */
  headers?: { readonly maxBytes: number; readonly maxCount: number }
  /** Milliseconds on a clock that only goes forward. */
  nowMs?: () => number
}

type Timeouts = {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** Between two looks at the rate of the bodies that are being received. */
  bodyCheckMs: number
  /** Without one byte moving, while the client has an answer to read. */
  stalledMs: number
  /**
   * Without a request on a connection that is kept alive. Longer than the minute for which most load balancers keep
   * theirs: one that sends a request at the moment of our close cannot repeat a POST, and its client gets an error.
   */
  keepAliveMs: number
  /** From the last byte we send on a connection that must close to its end, whatever the client does. */
  lingerMs: number
  /** From the stop of the listener to the end of requests that still run. */
  stopGraceMs: number
}

const TIMEOUTS: Timeouts = {
  headersMs: 15_000,
  bodyCheckMs: 1_000,
  stalledMs: 60_000,
  keepAliveMs: 75_000,
  lingerMs: 1_000,
  stopGraceMs: 20_000,
}

/** Opens the port of a process. Disposing of the listener closes the port and waits for running requests. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  let isDraining = false
  const bodies = new IncomingBodies(
    options.bodyRateOf ?? createBodyRates([]),
    options.nowMs ?? (() => performance.now()),
  )
  const answer = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings
      const response = refuseHead(incoming, options) ?? (await pass(request, incoming, options))
      bodies.remove(incoming)
      if (!incoming.complete) leaveBodyUnread(incoming, outgoing, timeouts.lingerMs)
      // A connection that is kept alive would delay the stop.
      if (isDraining || !server.listening) outgoing.shouldKeepAlive = false
      return response
    },
    { errorHandler: (error) => answerFault(error, options.onError), autoCleanupIncoming: false },
  )
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // HTTP/1.0 requires no Host (RFC 9112 section 3.2), and health checks of load balancers send none.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost'
    trackAnswer(incoming.socket, outgoing)
    if (hasBody(incoming)) bodies.add(incoming, outgoing)
    void answer(incoming, outgoing)
  }
  const server = createServer(
    {
      IncomingMessage: Incoming,
      keepAlive: true,
      requireHostHeader: false,
      shouldUpgradeCallback: (incoming) => options.upgrade !== undefined && isWebSocketUpgrade(incoming),
      ...limitsOf(timeouts, options),
    },
    handle,
  )
  // Node leaves out what is beyond this number: see `refuseHead`.
  if (options.headers) server.maxHeadersCount = options.headers.maxCount
  const giveBackPlace = options.connections && limitConnections(server, options.connections)
  if (options.upgrade) {
    const { upgrade } = options
    answerUpgrades(server, {
      answer: async (request, incoming, takeOver) =>
        refuseHead(incoming, options) ?? upgrade(request, infoOf(request, incoming, options), takeOver),
      onFault: (error) => answerFault(error, options.onError),
      onTakenOver: (socket) => giveBackPlace?.(socket),
      ...timeouts,
    })
  }
  const checkBodies = setInterval(() => {
    bodies.check(({ socket }, refusal) => refuseConnection(socket, refusal, timeouts.lingerMs))
  }, timeouts.bodyCheckMs)
  checkBodies.unref()
  const connections = new Set<Connection>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
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
    refuseConnection(socket, brokenRequest(error), timeouts.lingerMs)
  })
  await bind(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    port,
    url: `http://${host}:${port}`,
    openConnections: () => countConnections(server),
    drain: () => {
      isDraining = true
    },
    [Symbol.asyncDispose]: async () => {
      await stop(server, connections, timeouts.stopGraceMs)
      clearInterval(checkBodies)
    },
  }
}

/** Node's own limit for a whole request is off, because a large upload may take longer: see `body-rate.ts`. */
function limitsOf({ headersMs, keepAliveMs }: Timeouts, { headers }: ListenOptions) {
  return {
    ...(headers && { maxHeaderSize: headers.maxBytes }),
    headersTimeout: headersMs,
    requestTimeout: 0,
    connectionsCheckingInterval: headersMs,
    keepAliveTimeout: keepAliveMs,
  }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

function pass(request: Request, incoming: IncomingMessage, options: ListenOptions): Promise<Response> {
  return options.fetch(request, infoOf(request, incoming, options))
}

function infoOf(request: Request, incoming: IncomingMessage, { readInfo }: ListenOptions): RequestInfo {
  // Node gives only `set-cookie` as a list, and no handler reads that header of a request.
  const headers = incoming.headers as Record<string, string | undefined>
  const head = { method: request.method, url: request.url, headers }
  return readInfo(head, incoming.socket.remoteAddress ?? '')
}

/** Refuses a request whose path or headers a proxy before us may have read in another way. */
function refuseHead(
  { url = '', rawHeaders }: IncomingMessage,
  { headers: limits }: ListenOptions,
): Response | undefined {
  if (limits && rawHeaders.length / 2 >= limits.maxCount) {
    const detail = `The request has ${limits.maxCount} headers or more. Send fewer.`
    return problemResponse(new ServiceError('HEADERS_TOO_LARGE', detail), 'json', newId('req'))
  }
  const header = findRepeatedHeader(rawHeaders)
  if (header !== undefined) {
    const detail = `The header ${header} was sent more than once. Send it once.`
    return problemResponse(new ServiceError('MALFORMED_REQUEST', detail), 'json', newId('req'))
  }
  return isPlainPath(url) ? undefined : problemResponse(notFound(), 'json', newId('req'))
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

/** Returns the refusal of a request that Node's parser gave up, or undefined if its client has gone. */
function brokenRequest(error: NodeJS.ErrnoException): ServiceError | undefined {
  if (error.code === 'ECONNRESET') return undefined
  const [code, detail] = PARSER_FAULTS[error.code ?? ''] ?? ['MALFORMED_REQUEST', 'The request is not valid HTTP.']
  return new ServiceError(code, detail)
}

const PARSER_FAULTS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request headers are too large. Send smaller headers.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time. Try again.'],
}

/** Answers faults outside any route: an address that cannot be parsed, or a bug in the listener. */
function answerFault(error: unknown, onError: (error: unknown) => void): Response {
  const requestId = newId('req')
  if (error instanceof RequestError) {
    return problemResponse(new ServiceError('MALFORMED_REQUEST', 'The request URL is not valid.'), 'json', requestId)
  }
  onError(error)
  return problemResponse(toServiceError(error), 'json', requestId)
}

async function stop(server: Server, connections: Iterable<Connection>, graceMs: number): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A connection whose answer began before the stop is kept alive after it: its client could send the next request to
  // a process that stops, and the stop would be delayed.
  const closeIdle = () => void setImmediate(() => server.closeIdleConnections())
  for (const connection of connections) onAnswersEnd(connection, closeIdle)
  const force = setTimeout(() => {
    for (const connection of connections) connection.destroy()
  }, graceMs)
  await closed
  clearTimeout(force)
}
