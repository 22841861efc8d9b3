import type { Readable } from 'node:stream'
import { type buildConnector, Client, type Dispatcher, errors } from 'undici'
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
  sent: boolean
  status?: number
}

export type StopReason = Extract<SafeFetchReason, 'timeout' | 'aborted'>

/**
 * Sends one request on a new connection, because pooled ones would skip the vetting. `signal.reason` is a StopReason.
 */
export async function exchange(
  url: URL,
  request: OutgoingRequest,
  connector: buildConnector.connector,
  signal: AbortSignal,
): Promise<SafeResponse> {
  const progress: Progress = { sent: false }
  const client = new Client(url.origin, {
    connect: recordConnected(connector, progress),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  // undici checks a request's signal only after connecting. Destroying the client also ends a pending DNS look-up.
  const stop = () => void client.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await send(client, url, request, progress)
  } catch (error) {
    throw failure(error, url, progress, signal)
  } finally {
    signal.removeEventListener('abort', stop)
    await client.destroy()
  }
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

async function send(client: Client, url: URL, request: OutgoingRequest, progress: Progress): Promise<SafeResponse> {
  const { method, headers, maxResponseBytes } = request
  const path = url.pathname + url.search
  const answer = await client.request({ path, method, headers, body: request.body ?? null, reset: true })
  progress.status = answer.statusCode
  // The body of a redirect is not read, because waiting for it could turn an answer into a timeout.
  const limit = isRedirect(answer.statusCode) ? 0 : maxResponseBytes
  return {
    status: answer.statusCode,
    headers: joinRepeated(answer.headers),
    ...(await readCapped(answer.body, limit)),
  }
}

function recordConnected(connector: buildConnector.connector, progress: Progress): buildConnector.connector {
  return (options, callback) =>
    connector(options, (...outcome) => {
      if (outcome[1]) progress.sent = true
      callback(...outcome)
    })
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
  if (signal.aborted) {
    const reason: StopReason = signal.reason
    return new SafeFetchError(
      reason,
      `${url.origin}: ${reason === 'timeout' ? 'no answer in time' : 'aborted'}`,
      progress,
    )
  }
  const details = { ...progress, cause: error }
  if (error instanceof errors.HeadersOverflowError) {
    return new SafeFetchError('too_large', `${url.origin}: the answer's headers are too large`, details)
  }
  if (progress.sent) return new SafeFetchError('io', `${url.origin}: the connection broke`, details)
  return new SafeFetchError('connect', `${url.origin}: no connection`, details)
}
