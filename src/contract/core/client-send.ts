import type { z } from 'zod'
import { fromProblem, type Problem, ServiceError } from './errors.ts'
import { inputInQuery, type JsonOperation, type Operation } from './operation.ts'

export type FetchLike = (request: Request) => Promise<Response>
export type CallOptions = {
  headers?: Record<string, string>
  /** A function is called when the signal is needed, where making one is expensive. */
  signal?: AbortSignal | (() => AbortSignal)
  idempotencyKey?: string
}

/** A request whose body is complete. */
export type RequestParts = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: () => AbortSignal
}

export type SenderDeps = {
  baseUrl: string
  fetch: FetchLike
  /** Sends uploads, where `fetch` has a time limit that a large upload would pass. */
  fetchUpload?: FetchLike
  headers?: () => Record<string, string>
  /**
   * Hands on answers as they came, without the schemas of the operations: for pages, which would have to load every
   * schema. The service that sent the pages has checked each answer against the same schema.
   */
  trustsAnswers?: boolean
  /** Makes requests other than uploads. Without it they are made by the global `Request`. */
  makeRequest?: (url: string, parts: RequestParts) => Request
}

/** Sends requests of operations. `call`, `stream` and `upload` of the client are made of it. */
export type Sender = {
  /** Returns the answer if the operation succeeded; otherwise throws the error that the service sent. */
  readonly send: (
    op: Operation,
    input: Record<string, unknown>,
    accept: string,
    options: SendOptions,
  ) => Promise<Response>
  readonly read: <S extends z.ZodType>(schema: S, answer: unknown) => z.output<S>
}

export function createSender(deps: SenderDeps): Sender {
  return {
    send: async (op, input, accept, options) => {
      const headers = { accept, ...deps.headers?.(), ...options.headers }
      const request = toRequest(op, input, { ...deps, headers }, options)
      const response = await ((options.upload && deps.fetchUpload) ?? deps.fetch)(request)
      if (!response.ok) throw await toError(response)
      return response
    },
    read: (schema, answer) => (deps.trustsAnswers ? (answer as never) : schema.parse(answer)),
  }
}

export type Call = <I extends z.ZodObject, O extends z.ZodType>(
  op: JsonOperation<I, O>,
  input: z.input<I>,
  options?: CallOptions,
) => Promise<z.output<O>>

export function callWith({ send, read }: Sender): Call {
  return async (op, input, options = {}) => {
    const response = await send(op, input, 'application/json', options)
    return read(op.output, await readJson(response))
  }
}

type SendOptions = CallOptions & { upload?: { stream: ReadableStream<Uint8Array>; contentType: string } }

type MakeDeps = Pick<SenderDeps, 'baseUrl' | 'makeRequest'> & { headers: Record<string, string> }

function toRequest(
  op: Operation,
  input: Record<string, unknown>,
  { baseUrl, headers, makeRequest = wholeRequest }: MakeDeps,
  options: SendOptions,
): Request {
  const rest = { ...input }
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return pathPart(name, input[name])
  })
  const url = baseUrl.replace(/\/$/, '') + path
  const { signal, idempotencyKey, upload } = options
  const sent: Record<string, string> = { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) }
  if (upload) {
    const init = {
      method: op.method,
      headers: { ...sent, 'content-type': upload.contentType },
      signal: signalOf(options) ?? null,
    }
    return new Request(withQuery(url, rest), streaming(init, upload.stream))
  }
  const parts = { method: op.method, ...(signal && { signal: typeof signal === 'function' ? signal : () => signal }) }
  if (inputInQuery(op)) return makeRequest(withQuery(url, rest).href, { ...parts, headers: sent })
  return makeRequest(url, {
    ...parts,
    headers: { ...sent, 'content-type': 'application/json' },
    body: JSON.stringify(rest),
  })
}

function wholeRequest(url: string, { method, headers, body, signal }: RequestParts): Request {
  return new Request(url, { method, headers, body: body ?? null, signal: signal?.() ?? null })
}

export function signalOf({ signal }: CallOptions): AbortSignal | undefined {
  return typeof signal === 'function' ? signal() : signal
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

export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    throw unreadableAnswer(cause)
  }
}

/** For an answer of another server, or one that was cut off in its middle. */
export function unreadableAnswer(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The answer is not from this service. Check the address.', { cause })
}

async function toError(response: Response): Promise<ServiceError> {
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false
  const problem = isProblem ? await (response.json() as Promise<Partial<Problem> | null>).catch(() => null) : null
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return fromProblem(problem ?? {}, response.status, Number.isFinite(retryAfter) ? retryAfter : undefined)
}
