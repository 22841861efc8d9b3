import { Agent, fetch, type RequestInit, type BodyInit as UndiciBodyInit } from 'undici'
import { refuseInTransaction } from '../db/transaction-guard.ts'
import { holdBody } from './held-body.ts'

export interface OperatorFetchOptions {
  /** Certificate authorities in PEM, trusted instead of the system's. */
  ca?: string | string[]
  connectTimeoutMs?: number
  headersTimeoutMs?: number
  /** Maximum time between two parts of a body; 0 for streams that may be silent. */
  bodyTimeoutMs?: number
}

export type OperatorFetch = ((request: Request) => Promise<Response>) & AsyncDisposable

/** Thrown if no answer came. The message names the origin only; `cause` has the details. */
export class OperatorFetchError extends Error {
  override readonly name = 'OperatorFetchError'
}

/**
 * Creates a fetch for addresses from our own configuration, private ones included. Redirects are returned, not
 * followed.
 */
export function createOperatorFetch(options: OperatorFetchOptions = {}): OperatorFetch {
  const agent = createAgent(options)
  const operatorFetch = async (request: Request): Promise<Response> => {
    refuseInTransaction('an outgoing HTTP call')
    try {
      return toNodeResponse(await fetch(request.url, { ...initOf(request), dispatcher: agent }), request)
    } catch (error) {
      // An abort by the caller is not a failure of the network.
      if (request.signal.aborted) throw request.signal.reason
      const cause = error instanceof TypeError && error.cause ? error.cause : error
      throw new OperatorFetchError(`no answer from ${new URL(request.url).origin}`, { cause })
    }
  }
  return Object.assign(operatorFetch, { [Symbol.asyncDispose]: () => agent.destroy() })
}

function createAgent(options: OperatorFetchOptions): Agent {
  const { ca, connectTimeoutMs = 5_000, headersTimeoutMs = 60_000, bodyTimeoutMs = 300_000 } = options
  return new Agent({
    allowH2: false,
    connect: { timeout: connectTimeoutMs, ...(ca && { ca }) },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  })
}

// Node's Request and undici's are different classes: undici would read ours as the text "[object Request]".
function initOf(request: Request): RequestInit {
  const headers = new Headers(request.headers)
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return {
    method: request.method,
    headers: [...headers],
    body: request.body as UndiciBodyInit | null,
    duplex: 'half',
    redirect: 'manual',
    signal: request.signal,
  }
}

function toNodeResponse(response: Awaited<ReturnType<typeof fetch>>, request: Request): Response {
  const headers = new Headers([...response.headers])
  // undici has decoded the body, so these headers no longer describe it.
  if (response.body && headers.has('content-encoding')) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  const { status, statusText } = response
  const source = response.body && readerOf(response.body as ReadableStream<Uint8Array>)
  try {
    return new Response(source && holdBody(source, request), { status, statusText, headers })
  } catch (error) {
    // A status that a Response refuses, such as 999. An unread body would keep its connection.
    source?.cancel(error)
    throw error
  }
}

/** Takes a reader of the body, because undici cancels a body without one when its response is garbage collected. */
function readerOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  return {
    next: () => reader.read(),
    // The reader has left, so an error of the rest of the body is of no use.
    cancel: (reason: unknown) => void reader.cancel(reason).catch(() => {}),
  }
}
