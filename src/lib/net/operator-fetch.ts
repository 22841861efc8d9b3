import { Agent, fetch, type RequestInit, type BodyInit as UndiciBodyInit } from 'undici'
import { refuseInTransaction } from '../db/transaction-guard.ts'

export interface OperatorFetchOptions {
  /** Certificate authorities in PEM, trusted instead of the system's. */
  ca?: string | string[]
  connectTimeoutMs?: number
  headersTimeoutMs?: number
  /** The longest silence inside a body; 0 for streams that may stay silent. */
  bodyTimeoutMs?: number
}

export type OperatorFetch = ((request: Request) => Promise<Response>) & AsyncDisposable

/** No answer came. Names the origin only; what went wrong is the `cause`. */
export class OperatorFetchError extends Error {
  override readonly name = 'OperatorFetchError'
}

/** For addresses from our own configuration, private ones included. Redirects are answers, not followed. */
export function createOperatorFetch(options: OperatorFetchOptions = {}): OperatorFetch {
  const agent = createAgent(options)
  const operatorFetch = async (request: Request): Promise<Response> => {
    refuseInTransaction('an outgoing HTTP call')
    try {
      return ours(await fetch(request.url, { ...initOf(request), dispatcher: agent }))
    } catch (error) {
      // The caller's own abort is no failure of the network.
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

// Node's own Request and undici's are two classes: undici would read ours as the text "[object Request]".
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

function ours(response: Awaited<ReturnType<typeof fetch>>): Response {
  const headers = new Headers([...response.headers])
  // undici has already undone the encoding, so neither header tells of the body we hand on.
  if (response.body && headers.has('content-encoding')) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  const { status, statusText } = response
  return new Response(response.body && taken(response.body as ReadableStream<Uint8Array>), {
    status,
    statusText,
    headers,
  })
}

/**
 * Reads the body from now on. `fetch` cancels one that nobody reads yet as soon as the answer it came with is
 * collected, and that answer is left behind here.
 */
function taken(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // `fetch` reads ahead already.
    { highWaterMark: 0 },
  )
}
