import { connect } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { type buildConnector, Pool } from 'undici'
import { refuseInTransaction } from '../db/transaction-guard.ts'
import { endToEnd } from './end-to-end-headers.ts'

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

const MAX_CONNECTIONS = 512
const HEADERS_MS = 5 * 60_000
const WITHOUT_BODY = [204, 205, 304]

/**
 * Creates a fetch for an HTTP server behind a Unix socket. The other side of the socket sends one byte once the server
 * has accepted the connection. Each request has a connection of its own, so that none is lost because the server closes
 * an idle one at that moment. Bodies are streamed, nothing is decoded, redirects are returned.
 */
export function createSocketFetch(path: string): SocketFetch {
  const pool = new Pool('http://app', {
    connect: connector(path),
    connections: MAX_CONNECTIONS,
    pipelining: 0,
    headersTimeout: HEADERS_MS,
    bodyTimeout: 0,
  })
  const socketFetch = async (request: Request): Promise<Response> => {
    refuseInTransaction('an outgoing HTTP call')
    const { pathname, search, host } = new URL(request.url)
    const headers = endToEnd([...request.headers].flat().filter((_, n, all) => all[n - (n % 2)] !== 'expect'))
    try {
      const answer = await pool.request({
        path: pathname + search,
        method: request.method,
        headers: request.headers.has('host') ? headers : [...headers, 'host', host],
        body: request.body === null ? null : Readable.fromWeb(request.body as NodeReadableStream),
        signal: request.signal,
      })
      return toResponse(answer)
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      throw new SocketFetchError('no answer', !(error instanceof NotAccepted), error)
    }
  }
  return Object.assign(socketFetch, { [Symbol.asyncDispose]: () => pool.destroy() })
}

/** The server did not accept the connection. */
class NotAccepted extends Error {
  override readonly name = 'NotAccepted'
}

function connector(path: string): buildConnector.connector {
  return (_options, callback) => {
    const socket = connect({ path })
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
  }
}

type Answer = Awaited<ReturnType<Pool['request']>>

function toResponse({ statusCode, headers, body }: Answer): Response {
  if (statusCode < 200 || statusCode > 599) {
    body.destroy()
    throw new Error(`the answer has status ${statusCode}`)
  }
  const raw = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((each) => [name, toBytes(each)]),
  )
  const passed = new Headers()
  const kept = endToEnd(raw)
  for (let n = 0; n < kept.length; n += 2) passed.append(kept[n]!, kept[n + 1]!)
  if (!WITHOUT_BODY.includes(statusCode)) {
    return new Response(streamOf(body), { status: statusCode, headers: passed })
  }
  body.resume()
  return new Response(null, { status: statusCode, headers: passed })
}

/** Not `Readable.toWeb`, which throws where nobody can catch it if data arrives after the reader has cancelled. */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  body.on('error', () => {})
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  )
}

/** A value of Headers is made of bytes, and undici reads the bytes of an answer as UTF-8. */
function toBytes(value: string): string {
  return /^[\0-\u00ff]*$/.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1')
}
