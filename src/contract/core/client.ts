import type { z } from 'zod'
import { fromProblem, type Problem, ServiceError } from './errors.ts'
import { inputInQuery, type JsonOperation, type Operation, pathParameters, type StreamOperation } from './operation.ts'
import { wholeText, withText } from './whole-body.ts'

export type FetchLike = (request: Request) => Promise<Response>
export type CallOptions = { headers?: Record<string, string>; signal?: AbortSignal; idempotencyKey?: string }

export type Client = {
  call<I extends z.ZodObject, O extends z.ZodType>(
    op: JsonOperation<I, O>,
    input: z.input<I>,
    options?: CallOptions,
  ): Promise<z.output<O>>
  stream<I extends z.ZodObject, E extends z.ZodType>(
    op: StreamOperation<I, E>,
    input: z.input<I>,
    options?: CallOptions,
  ): AsyncGenerator<z.output<E>>
}

/**
 * The typed client of the CLI, the console and the services among themselves. `fetch` is the network's,
 * or a neighbour's in the same process: the caller cannot tell.
 */
export function createClient(deps: {
  baseUrl: string
  fetch: FetchLike
  headers?: () => Record<string, string>
}): Client {
  const send = async (op: Operation, input: Record<string, unknown>, accept: string, options: CallOptions) => {
    const headers = { accept, ...deps.headers?.(), ...options.headers }
    const request = toRequest(op, input, deps.baseUrl, headers, options)
    const response = await deps.fetch(request)
    if (!response.ok) throw await toError(response)
    return response
  }
  return {
    async call(op, input, options = {}) {
      const response = await send(op, input, 'application/json', options)
      return op.output.parse(await readJson(response))
    },
    async *stream(op, input, options = {}) {
      const response = await send(op, input, 'application/x-ndjson', options)
      for await (const line of linesOf(response)) {
        const event = parseLine(line)
        if (isFault(event)) throw fromProblem(event.problem, event.problem.status)
        yield op.event.parse(event) as never
      }
    },
  }
}

/** A stream that fails after it began ends with this line: its status was already sent. */
function isFault(event: unknown): event is { problem: Problem } {
  return typeof event === 'object' && event !== null && 'problem' in event
}

function toRequest(
  op: Operation,
  input: Record<string, unknown>,
  baseUrl: string,
  headers: Record<string, string>,
  options: CallOptions,
): Request {
  const rest = { ...input }
  for (const name of pathParameters(op.path)) delete rest[name]
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(name, input[name]))
  const url = baseUrl.replace(/\/$/, '') + path
  const init: RequestInit = { method: op.method, headers: { ...headers } }
  const sent = init.headers as Record<string, string>
  if (options.signal) init.signal = options.signal
  if (options.idempotencyKey) sent['idempotency-key'] = options.idempotencyKey
  if (inputInQuery(op)) return new Request(withQuery(url, rest), init)
  const body = JSON.stringify(rest)
  sent['content-type'] = 'application/json'
  return withText(new Request(url, { ...init, body }), body)
}

/** A URL drops `.` and goes up at `..`, encoded or not: the call would reach another operation. */
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
    throw notOurs(cause)
  }
}

/** A line that cannot be read: another server's answer, or one cut off in its middle. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw notOurs(cause)
  }
}

function notOurs(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'the answer is not from this service: check the address', { cause })
}

async function toError(response: Response): Promise<ServiceError> {
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false
  const problem = isProblem ? await (response.json() as Promise<Partial<Problem> | null>).catch(() => null) : null
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return fromProblem(problem ?? {}, response.status, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (!response.body) return
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}
