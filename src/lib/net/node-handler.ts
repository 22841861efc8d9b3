import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

type NodeHandler = (incoming: IncomingMessage, response: ServerResponse) => unknown

/** Turns a `node:http` handler into a fetch function, so that it needs no port and no limits of its own. */
export function fromNodeHandler(handler: NodeHandler) {
  return async (request: Request, clientAddress: string): Promise<Response> => {
    const body = Buffer.from(await request.arrayBuffer())
    const incoming = toIncoming(request, body, clientAddress)
    const response = new CapturedResponse(incoming)
    const stop = () => response.fail(new Error('the caller went away'))
    request.signal.addEventListener('abort', stop, { once: true })
    try {
      run(handler, incoming, response)
      return await response.done
    } finally {
      request.signal.removeEventListener('abort', stop)
    }
  }
}

function run(handler: NodeHandler, incoming: IncomingMessage, response: CapturedResponse): void {
  const fail = (error: unknown) => response.fail(error)
  try {
    Promise.resolve(handler(incoming, response)).catch(fail)
  } catch (error) {
    fail(error)
  }
}

/**
 * Makes the request object for the handler. Client address and scheme are set on the socket, where handlers read them.
 */
function toIncoming(request: Request, body: Buffer, clientAddress: string): IncomingMessage {
  const url = new URL(request.url)
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: clientAddress })
  Object.defineProperty(socket, 'encrypted', { value: url.protocol === 'https:' })
  const incoming = new IncomingMessage(socket)
  incoming.method = request.method
  incoming.url = `${url.pathname}${url.search}`
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  // Hop-by-hop headers describe the connection, not this in-process request.
  const endToEnd = [...request.headers].filter(([name]) => !HOP_BY_HOP_HEADERS.includes(name))
  incoming.headers = { ...Object.fromEntries(endToEnd), host: url.host }
  if (body.length > 0) {
    incoming.headers['content-length'] = String(body.length)
    incoming.push(body)
  }
  incoming.push(null)
  return incoming
}

const HOP_BY_HOP_HEADERS = ['content-length', 'transfer-encoding', 'connection', 'host', 'expect', 'upgrade']
const STATUSES_WITHOUT_BODY = [204, 205, 304]

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Collects the handler's response. `done` resolves when the response has ended and rejects if the handler fails. */
class CapturedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = []
  readonly #settled = Promise.withResolvers<Response>()
  readonly done = this.#settled.promise
  #isGivenUp = false

  fail(error: unknown): void {
    this.#settled.reject(error)
    this.destroy()
  }

  override destroy(error?: Error): this {
    this.#isGivenUp = true
    this.#settled.reject(error ?? new Error('the handler gave up'))
    return this
  }

  override writeHead(status: number, reasonOrHeaders?: string | Head, headers?: Head): this {
    this.statusCode = status
    const entries = typeof reasonOrHeaders === 'string' ? headers : reasonOrHeaders
    for (const [name, value] of entriesOf(entries)) this.setHeader(name, value)
    return this
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    this.#chunks.push(toBuffer(chunk, encoding))
    callbackIn(encoding, callback)?.()
    return true
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (this.finished) return this
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
      this.#chunks.push(toBuffer(chunk, encoding))
    }
    this.#settled.resolve(this.#toResponse())
    this.finished = true
    // A real response emits it only if it was sent, and handlers rely on that.
    if (!this.#isGivenUp) this.emit('finish')
    this.emit('close')
    callbackIn(chunk, encoding, callback)?.()
    return this
  }

  #toResponse(): Response {
    const headers = new Headers()
    for (const [name, value] of Object.entries(this.getHeaders())) {
      if (HOP_BY_HOP_HEADERS.includes(name)) continue
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one))
    }
    const body =
      STATUSES_WITHOUT_BODY.includes(this.statusCode) || this.#chunks.length === 0 ? null : Buffer.concat(this.#chunks)
    return new Response(body, { status: this.statusCode, headers })
  }
}

/** Reads headers given as an object or as a flat array of names and values. */
function entriesOf(head: Head | undefined): [string, OutgoingHttpHeader][] {
  if (!head) return []
  if (!Array.isArray(head))
    return Object.entries(head).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return head.flatMap((name, n): [string, OutgoingHttpHeader][] =>
    n % 2 === 0 ? [[String(name), head[n + 1] ?? '']] : [],
  )
}

function toBuffer(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk !== 'string') return Buffer.from(chunk as Uint8Array)
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
}

function callbackIn(...values: unknown[]): (() => void) | undefined {
  return values.find((value) => typeof value === 'function') as (() => void) | undefined
}
