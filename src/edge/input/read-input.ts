import { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { inputInQuery, type Operation } from '#contract/core/operation.ts'
import { localBody } from '../fast/local-request.ts'
import { unknownKeys } from '../format/problem.ts'
import { bodyLimitOf } from './body-limit.ts'
import { createInputCheck } from './check-input.ts'
import { parseJson } from './parse-json.ts'
import { refuseBadText } from './refuse-bad-text.ts'

export type InputReader = (request: Request, params: Record<string, string>, query: string) => Promise<unknown>

/** Creates the function that joins path, query and body into one input object and checks it with the schema. */
export function createInputReader(op: Operation): InputReader {
  // Computed for the first query, because those of all operations would take a tenth of the processor time of a start.
  let computedTypes: Map<string, QueryType> | undefined
  const types = () => (computedTypes ??= queryTypes(op))
  const check = createInputCheck(op.input)
  const withLastId = op.kind === 'stream' && op.resumable ? preferLastEventId : (_: Request, raw: RawInput) => raw
  const filterKeys =
    op.kind === 'raw' && op.ignoresUnknownKeys ? keepKeys((key) => types().has(key)) : (query: string) => query
  if (inputInQuery(op)) {
    return async (request, params, query) => {
      if (op.kind === 'json' || op.kind === 'stream') refuseLargeBody(request, op.bodyLimit)
      const raw = withLastId(request, merge(params, query === '' ? {} : readQuery(filterKeys(query), types())))
      refuseBadText(raw)
      return check(raw, query.length)
    }
  }
  const bodyLimit = bodyLimitOf(op)
  return async (request, params, query) => {
    if (query !== '') throw unknownKeys(Object.keys(readQuery(query, types())))
    refuseBadText(params)
    const { body, length } = await readJsonBody(request, bodyLimit)
    return check(withLastId(request, merge(params, body)), length)
  }
}

type RawInput = Record<string, unknown>

/** EventSource repeats the first URL when it reconnects, so its header is newer than a `last_id` in the query. */
function preferLastEventId(request: Request, raw: RawInput): RawInput {
  const id = request.headers.get('last-event-id')
  return id === null || id === '' ? raw : { ...raw, last_id: id }
}

/**
 * Adds the path parameters to what was sent, without a copy, which would cost more than parsing where there are many keys.
 * Refuses one that is also in the query or body, as any unknown key.
 */
function merge(params: Record<string, string>, sent: RawInput): RawInput {
  const twice = Object.keys(params).filter((name) => Object.hasOwn(sent, name))
  if (twice.length > 0) throw unknownKeys(twice)
  return Object.assign(sent, params)
}

function keepKeys(isNamed: (key: string) => boolean): (query: string) => string {
  return (query) => new URLSearchParams([...new URLSearchParams(query)].filter(([key]) => isNamed(key))).toString()
}

type QueryType = 'string' | 'number' | 'boolean' | 'array'

/** Returns the type of each key in the query string, which itself has only text, from the schema. */
function queryTypes(op: Operation): Map<string, QueryType> {
  const { properties = {} } = z.toJSONSchema(op.input, { io: 'input', unrepresentable: 'any' })
  return new Map(Object.entries(properties).map(([key, schema]) => [key, queryType(schema)]))
}

function queryType(schema: z.core.JSONSchema._JSONSchema): QueryType {
  const type = typeof schema === 'object' ? schema.type : undefined
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'boolean' || type === 'array' ? type : 'string'
}

function readQuery(query: string, types: Map<string, QueryType>): Record<string, unknown> {
  // Without a prototype, because `__proto__` would otherwise not become a key.
  const input: Record<string, unknown> = Object.create(null)
  for (const [key, text] of new URLSearchParams(query)) {
    const type = types.get(key)
    const before = input[key]
    if (Array.isArray(before)) before.push(text)
    else if (before !== undefined)
      throw new ServiceError('INVALID_REQUEST', `${key.slice(0, 200)}: given more than once`)
    else input[key] = type === 'array' ? [text] : fromText(text, type)
  }
  return input
}

/** Converts text to the type. Text that does not fit is returned as it is, and the schema refuses it. */
function fromText(text: string, type: QueryType | undefined): unknown {
  if (type === 'number' && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

type JsonBody = { readonly body: RawInput; readonly length: number }

async function readJsonBody(request: Request, limit: number): Promise<JsonBody> {
  refuseLargeBody(request, limit)
  const type = request.headers.get('content-type')
  const length = request.headers.get('content-length')
  if (type === null && (length === '0' || length === null) && !request.headers.has('transfer-encoding')) {
    return { body: {}, length: 0 }
  }
  if (type === null || !JSON_TYPE.test(type)) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Unsupported content type. Send the body as application/json in UTF-8.',
    )
  }
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not supported. Send the body uncompressed.')
  }
  const text = await readText(request, limit, length !== null)
  return { body: parseObject(text), length: text.length }
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** In JSON, NUL and half surrogate pairs can only be written as escapes, and so can the letters of `__proto__`. */
const BAD_ESCAPE = /\\u(?:0000|00[567]|[dD][89a-fA-F])/

/** Two searches for fixed texts, because a regular expression over a whole body takes longer than parsing it. */
function mayHaveBadText(text: string): boolean {
  return (text.includes('\\u') && BAD_ESCAPE.test(text)) || text.includes('__proto__')
}

function parseObject(text: string): RawInput {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('INVALID_REQUEST', 'The body must be a JSON object.')
  }
  if (mayHaveBadText(text)) refuseBadText(value)
  return value as RawInput
}

export function refuseLargeBody(request: Request, limit: number): void {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'PAYLOAD_TOO_LARGE',
    limit === 0 ? 'This operation takes no body.' : `The body is too large. At most ${limit} bytes are accepted.`,
  )
}

/** Reads the body as text. One with a Content-Length was compared with the limit before. */
async function readText(request: Request, limit: number, hasLength: boolean): Promise<string> {
  const text = localBody(request)
  if (text !== undefined) return bounded(text, limit)
  const bytes = await readBytes(request, hasLength ? undefined : limit)
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new ServiceError('MALFORMED_REQUEST', 'The body is not valid UTF-8.', { cause })
  }
}

function bounded(text: string, limit: number): string {
  if (Buffer.byteLength(text) > limit) throw tooLarge(limit)
  return text
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readBytes(request: Request, limit: number | undefined): Promise<ArrayBuffer | Uint8Array> {
  try {
    if (limit === undefined || !request.body) return await request.arrayBuffer()
    return Buffer.concat(await Array.fromAsync(boundedBody(request.body, limit)))
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('MALFORMED_REQUEST', 'The body ended before it was complete.', { cause })
  }
}

/** Yields the body as it arrives. Throws as soon as it exceeds the limit, and does not read the rest. */
export async function* boundedBody(body: ReadableStream<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  // Not `for await`, because leaving that loop cancels the stream and closes the connection before the answer is sent.
  const reader = body.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    size += value.byteLength
    if (size > limit) throw tooLarge(limit)
    yield value
  }
}

/** Returns the request for a handler that reads the body itself. A body of unknown length is limited as it is read. */
export function boundedRequest(request: Request, limit: number): Request {
  refuseLargeBody(request, limit)
  if (request.headers.has('content-length') || !request.body) return request
  const { method, headers, signal, url } = request
  const body = toStream(boundedBody(request.body, limit))
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' }
  return new Request(url, init)
}

export function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
