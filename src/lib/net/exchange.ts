import type { IncomingHttpHeaders } from 'node:http'
import { type buildConnector, type Client, type Dispatcher, errors } from 'undici'
import { openConnection } from './connection.ts'
import type { KeptConnections } from './kept-connections.ts'
import { SafeFetchError, type SafeFetchReason } from './safe-fetch-error.ts'

export interface OutgoingRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  maxResponseBytes: number
}

export interface SafeResponse {
  status: number
  /** Header names in lower case; repeated headers are joined by a comma. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** True if the body was cut at `maxResponseBytes`. */
  truncated: boolean
}

interface Progress {
  /** True from the dispatch on a kept connection, and from connecting on a new one. */
  sent: () => boolean
  status?: number
}

export type StopReason = Extract<SafeFetchReason, 'timeout' | 'aborted'>

interface Route {
  /** Returns what makes a new connection and vets its address. */
  connector: () => buildConnector.connector
  /** Where connections are taken from and kept. Without it each request uses a new connection. */
  keptConnections?: KeptConnections | undefined
  /** Its reason is a StopReason. */
  signal: AbortSignal
}

/** Sends one request and never repeats it. A request on a kept connection counts as sent as soon as it is dispatched. */
export async function exchange(url: URL, request: OutgoingRequest, route: Route): Promise<SafeResponse> {
  const { connector, keptConnections, signal } = route
  const reused = signal.aborted ? undefined : keptConnections?.take(url)
  const connection = reused ?? openConnection(url.origin, connector(), keptConnections?.now() ?? 0)
  const progress: Progress = { sent: () => connection.isConnected() }
  // undici checks a request's signal only after connecting. Destroying the client also ends a pending DNS look-up.
  const stop = () => void connection.client.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop)
  let isKept = false
  try {
    signal.throwIfAborted()
    const answer = await send(connection.client, url, request, { isLast: !keptConnections, progress })
    isKept = keptConnections !== undefined && !answer.truncated
    return answer
  } catch (error) {
    throw failure(error, url, progress, signal)
  } finally {
    signal.removeEventListener('abort', stop)
    if (isKept) keptConnections!.put(url, connection)
    else await connection.client.destroy()
  }
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/** By undici's own handler instead of a stream, which costs a third of all our work for a short answer. */
function send(
  client: Client,
  url: URL,
  request: OutgoingRequest,
  { isLast, progress }: { isLast: boolean; progress: Progress },
): Promise<SafeResponse> {
  const { method, headers, body = null, maxResponseBytes } = request
  const answer = Promise.withResolvers<SafeResponse>()
  client.dispatch(
    { path: url.pathname + url.search, method, headers, body, reset: isLast },
    collectAnswer(answer, maxResponseBytes, progress),
  )
  return answer.promise
}

/** Reads at most `maxBytes` of the body, then ends the connection. */
function collectAnswer(
  { resolve, reject }: PromiseWithResolvers<SafeResponse>,
  maxBytes: number,
  progress: Progress,
): Dispatcher.DispatchHandler {
  let head: Pick<SafeResponse, 'status' | 'headers'>
  let limit = maxBytes
  let size = 0
  const chunks: Uint8Array[] = []
  const cut = (controller: Dispatcher.DispatchController) => {
    resolve({ ...head, body: Buffer.concat(chunks), truncated: true })
    controller.abort(new Error('the rest of the answer is not read'))
  }
  return {
    onRequestStart: () => {},
    onResponseStart: (controller, status, headers) => {
      // Informational answers precede the real one.
      if (status < 200) return
      progress.status = status
      head = { status, headers: joinRepeated(headers) }
      // The body of a redirect is not read, because waiting for it could turn an answer into a timeout.
      if (isRedirect(status)) limit = 0
      if (limit === 0) cut(controller)
    },
    onResponseData: (controller, chunk) => {
      chunks.push(chunk.subarray(0, limit - size))
      size += chunk.length
      if (size > limit) cut(controller)
    },
    onResponseEnd: () => resolve({ ...head, body: Buffer.concat(chunks), truncated: false }),
    // Changes nothing after an answer that was cut.
    onResponseError: (_, error) => reject(error),
  }
}

function joinRepeated(headers: IncomingHttpHeaders): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value
  return joined
}

function failure(error: unknown, url: URL, progress: Progress, signal: AbortSignal): SafeFetchError {
  if (error instanceof SafeFetchError) return error
  const details = { sent: progress.sent(), ...(progress.status !== undefined && { status: progress.status }) }
  if (signal.aborted) {
    const reason: StopReason = signal.reason
    const why = reason === 'timeout' ? 'no answer in time' : 'aborted'
    return new SafeFetchError(reason, `${url.origin}: ${why}`, details)
  }
  if (error instanceof errors.HeadersOverflowError) {
    return new SafeFetchError('too_large', `${url.origin}: the answer's headers are too large`, {
      ...details,
      cause: error,
    })
  }
  if (details.sent) return new SafeFetchError('io', `${url.origin}: the connection broke`, { ...details, cause: error })
  return new SafeFetchError('connect', `${url.origin}: no connection`, { ...details, cause: error })
}
