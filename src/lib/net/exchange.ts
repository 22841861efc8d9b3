import type { Readable } from 'node:stream'
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
  /** Makes a new connection and vets its address. */
  connector: buildConnector.connector
  /** Where connections are taken from and kept. Without it each request uses a new connection. */
  kept?: KeptConnections | undefined
  /** Its reason is a StopReason. */
  signal: AbortSignal
}

/** Sends one request and never repeats it. A request on a kept connection counts as sent as soon as it is dispatched. */
export async function exchange(url: URL, request: OutgoingRequest, route: Route): Promise<SafeResponse> {
  const { connector, kept, signal } = route
  const reused = signal.aborted ? undefined : kept?.take(url)
  const connection = reused ?? openConnection(url.origin, connector, kept?.now() ?? 0)
  const progress: Progress = { sent: () => connection.isConnected() }
  // undici checks a request's signal only after connecting. Destroying the client also ends a pending DNS look-up.
  const stop = () => void connection.client.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop)
  let isKept = false
  try {
    signal.throwIfAborted()
    const answer = await send(connection.client, url, request, { isLast: !kept, progress })
    isKept = kept !== undefined && !answer.truncated
    return answer
  } catch (error) {
    throw failure(error, url, progress, signal)
  } finally {
    signal.removeEventListener('abort', stop)
    if (isKept) kept!.put(url, connection)
    else await connection.client.destroy()
  }
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

async function send(
  client: Client,
  url: URL,
  request: OutgoingRequest,
  { isLast, progress }: { isLast: boolean; progress: Progress },
): Promise<SafeResponse> {
  const { method, headers, maxResponseBytes } = request
  const path = url.pathname + url.search
  const answer = await client.request({ path, method, headers, body: request.body ?? null, reset: isLast })
  progress.status = answer.statusCode
  // The body of a redirect is not read, because waiting for it could turn an answer into a timeout.
  const limit = isRedirect(answer.statusCode) ? 0 : maxResponseBytes
  return {
    status: answer.statusCode,
    headers: joinRepeated(answer.headers),
    ...(await readCapped(answer.body, limit)),
  }
}

async function readCapped(stream: Readable, limit: number): Promise<Pick<SafeResponse, 'body' | 'truncated'>> {
  // Leaving the loop early destroys the stream, which then emits an error.
  stream.on('error', () => {})
  if (limit === 0) return { body: new Uint8Array(), truncated: true }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
    if (size > limit) return { body: Buffer.concat(chunks), truncated: true }
  }
  return { body: Buffer.concat(chunks), truncated: false }
}

function joinRepeated(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  )
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]))
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
