import type { z } from 'zod'
import { readStream, unreadableAnswer, type Wait } from './client-stream.ts'
import { sendingBody, type UploadBody, type UploadOptions } from './client-upload.ts'
import { fromProblem, type Problem, ServiceError } from './errors.ts'
import {
  inputInQuery,
  type JsonOperation,
  type Operation,
  pathParameters,
  type StreamOperation,
  type UploadOperation,
} from './operation.ts'
import { wholeText, withText } from './whole-body.ts'

export type FetchLike = (request: Request) => Promise<Response>
export type CallOptions = { headers?: Record<string, string>; signal?: AbortSignal; idempotencyKey?: string }

export type Client = {
  call<I extends z.ZodObject, O extends z.ZodType>(
    op: JsonOperation<I, O>,
    input: z.input<I>,
    options?: CallOptions,
  ): Promise<z.output<O>>
  /**
   * Yields events as they come. A resumable operation is continued by itself when the connection breaks or the server
   * restarts; the `id` of the last event is what a later call passes as `last_id`.
   */
  stream<I extends z.ZodObject, E extends z.ZodType>(
    op: StreamOperation<I, E>,
    input: z.input<I>,
    options?: CallOptions,
  ): AsyncGenerator<z.output<E>>
  /** Sends the body piece by piece. A refusal is thrown as soon as the server answers, also before the body's end. */
  upload<I extends z.ZodObject, O extends z.ZodType>(
    op: UploadOperation<I, O>,
    input: z.input<I>,
    body: UploadBody,
    options?: CallOptions & UploadOptions,
  ): Promise<z.output<O>>
}

/**
 * Creates the typed client that the CLI, the console and the services use. `fetch` calls over the network, or directly
 * into a service of the same process.
 */
export function createClient(deps: {
  baseUrl: string
  fetch: FetchLike
  /** Sends uploads, where `fetch` has a time limit that a large upload would pass. */
  fetchUpload?: FetchLike
  headers?: () => Record<string, string>
  /** Waits between reconnections and for heartbeats; tests hand in one that they control. */
  wait?: Wait
}): Client {
  const send = async (op: Operation, input: Record<string, unknown>, accept: string, options: SendOptions) => {
    const headers = { accept, ...deps.headers?.(), ...options.headers }
    const request = toRequest(op, input, deps.baseUrl, headers, options)
    const response = await ((options.upload && deps.fetchUpload) ?? deps.fetch)(request)
    if (!response.ok) throw await toError(response)
    return response
  }
  return {
    async call(op, input, options = {}) {
      const response = await send(op, input, 'application/json', options)
      return op.output.parse(await readJson(response))
    },
    stream(op, input, options = {}) {
      const given = input as { last_id?: string }
      return readStream(op, {
        connect: (lastId) =>
          send(op, lastId === undefined ? input : { ...input, last_id: lastId }, 'application/x-ndjson', options),
        lastId: op.resumable && given.last_id,
        canReconnect: op.resumable === true && (op.effect === 'read' || options.idempotencyKey !== undefined),
        wait: deps.wait ?? waitInRealTime,
        signal: options.signal,
      }) as never
    },
    async upload(op, input, body, options = {}) {
      const { stream, failure, release } = sendingBody(body, op.bodyLimit, options)
      const contentType = options.contentType ?? op.consumes[0]!
      try {
        const response = await send(op, input, 'application/json', { ...options, upload: { stream, contentType } })
        return op.output.parse(await readJson(response))
      } catch (error) {
        throw failure() ?? error
      } finally {
        release()
      }
    },
  }
}

const waitInRealTime: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

type SendOptions = CallOptions & { upload?: { stream: ReadableStream<Uint8Array>; contentType: string } }

function toRequest(
  op: Operation,
  input: Record<string, unknown>,
  baseUrl: string,
  headers: Record<string, string>,
  options: SendOptions,
): Request {
  const rest = { ...input }
  for (const name of pathParameters(op.path)) delete rest[name]
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(name, input[name]))
  const url = baseUrl.replace(/\/$/, '') + path
  const init: RequestInit = { method: op.method, headers: { ...headers } }
  const sent = init.headers as Record<string, string>
  if (options.signal) init.signal = options.signal
  if (options.idempotencyKey) sent['idempotency-key'] = options.idempotencyKey
  if (options.upload) {
    sent['content-type'] = options.upload.contentType
    return new Request(withQuery(url, rest), streaming(init, options.upload.stream))
  }
  if (inputInQuery(op)) return new Request(withQuery(url, rest), init)
  const body = JSON.stringify(rest)
  sent['content-type'] = 'application/json'
  return withText(new Request(url, { ...init, body }), body)
}

/** Adds `duplex`, which `fetch` requires for a stream as the body and which its types do not declare. */
function streaming(init: RequestInit, body: ReadableStream<Uint8Array>): RequestInit {
  const withBody: RequestInit & { duplex: 'half' } = { ...init, body, duplex: 'half' }
  return withBody
}

/** Refuses `.` and `..`, because a URL resolves them, encoded or not, and the call would reach another operation. */
function pathPart(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  if (/^\.{0,2}$/.test(text)) throw new ServiceError('INVALID_REQUEST', `${name}: cannot be "${text}"`)
  return encodeURIComponent(text)
}

function withQuery(base: string, input: Record<string, unknown>): URL {
  const url = new URL(base)
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(key, String(one))
  }
  return url
}

async function readJson(response: Response): Promise<unknown> {
  const text = wholeText(response)
  try {
    return text === undefined ? await response.json() : JSON.parse(text)
  } catch (cause) {
    throw unreadableAnswer(cause)
  }
}

async function toError(response: Response): Promise<ServiceError> {
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false
  const problem = isProblem ? await (response.json() as Promise<Partial<Problem> | null>).catch(() => null) : null
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return fromProblem(problem ?? {}, response.status, Number.isFinite(retryAfter) ? retryAfter : undefined)
}
