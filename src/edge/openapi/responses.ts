import { ERRORS } from '#contract/core/errors.ts'
import { inputInQuery, type Operation, pathParameters } from '#contract/core/operation.ts'
import { STREAM_TYPES } from '../stream/stream.ts'
import { type JsonSchema, PROBLEM, type Reference, type Schemas } from './schema.ts'

export type Content = Record<string, { schema?: JsonSchema }>
export type ResponseObject = {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: Content
}
export type Responses = Record<string, ResponseObject | Reference>

/** Which operations can answer with a status, as far as their definition says. `default` covers the rest. */
const REFUSALS: readonly { status: number; when: (op: Operation) => boolean }[] = [
  { status: 400, when: () => true },
  { status: 401, when: (op) => op.access !== 'public' },
  { status: 403, when: (op) => typeof op.access === 'object' },
  // Operator operations are 404 where no operator token is configured.
  { status: 404, when: (op) => op.access === 'operator' || pathParameters(op.path).length > 0 },
  { status: 409, when: (op) => op.effect === 'write' },
  { status: 413, when: takesBody },
  { status: 415, when: takesBody },
  { status: 429, when: (op) => (op.rateLimits ?? []).length > 0 || op.concurrency !== undefined },
  // A raw operation may answer these in its own format.
  { status: 500, when: (op) => op.kind !== 'raw' },
  { status: 503, when: (op) => op.kind !== 'raw' },
]

export function takesBody(op: Operation): boolean {
  if (op.kind === 'raw' && !op.jsonInput) return op.consumes !== undefined && op.consumes.length > 0
  return op.kind === 'upload' || !inputInQuery(op)
}

export function responsesOf(op: Operation, schemas: Schemas): Responses {
  const own = new Set((op.errors ?? []).map((code) => ERRORS[code].status as number))
  const usual = REFUSALS.filter(({ when }) => when(op)).map(({ status }) => status)
  const refusals = [...new Set([...usual, ...own])]
    .sort((a, b) => a - b)
    .map((status) => [String(status), refusal(status)])
  const status = String(op.kind === 'json' ? (op.status ?? 200) : 200)
  return { [status]: success(op, schemas), ...Object.fromEntries(refusals), default: otherResponses(op) }
}

function refusal(status: number): Reference {
  return { $ref: `#/components/responses/Problem${status}` }
}

function success(op: Operation, schemas: Schemas): ResponseObject {
  switch (op.kind) {
    case 'json':
    case 'upload': {
      const schema = schemas.of(op.output, 'output', `${op.name}.output`)
      const types = ['application/json', 'application/yaml']
      if (op.kind === 'json' && op.format === 'yaml') types.reverse()
      return { description: 'Done', content: contentOf(types, schema) }
    }
    case 'stream': {
      const event = schemas.of(op.event, 'output', `${op.name}.event`)
      const fault: JsonSchema = { type: 'object', properties: { problem: { ...PROBLEM } }, required: ['problem'] }
      const end: JsonSchema = {
        type: 'object',
        properties: { end: { type: 'object', properties: { reason: { enum: ['done', 'shutdown'] } } } },
        required: ['end'],
      }
      return {
        description:
          'Events as they come. The last record is `{"problem": …}` after a fault and `{"end": …}` when the server ' +
          'stops. An empty line or an SSE comment is a heartbeat.',
        content: contentOf([STREAM_TYPES.ndjson, STREAM_TYPES.sse], { anyOf: [event, fault, end] }),
      }
    }
    case 'raw':
      return { description: 'Done', content: contentOf(op.produces) }
    default:
      throw op satisfies never
  }
}

function otherResponses(op: Operation): ResponseObject | Reference {
  if (op.kind !== 'raw') return { $ref: '#/components/responses/Problem' }
  const content = { ...contentOf(op.produces), ...problemContent() }
  return { description: 'Any other answer, in a shape of its own or as a problem', content }
}

export function contentOf(types: readonly string[], schema?: JsonSchema): Content {
  return Object.fromEntries(types.map((type) => [type, schema ? { schema } : {}]))
}

function problemContent(): Content {
  return contentOf(['application/problem+json', 'application/yaml'], PROBLEM)
}

/** Returns one response for each status of the error table that an operation names, and `Problem` for any other. */
export function sharedResponses(paths: Record<string, Record<string, { responses: Responses }>>) {
  const named = new Set(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) => Object.keys(responses)),
    ),
  )
  const statuses = new Set(Object.values(ERRORS).map(({ status }) => status))
  const shared = [...statuses]
    .filter((status) => named.has(String(status)))
    .map((status) => [`Problem${status}`, sharedResponse(status)])
  return { Problem: { description: 'Any other refusal', content: problemContent() }, ...Object.fromEntries(shared) }
}

function sharedResponse(status: number): ResponseObject {
  const rows = Object.entries(ERRORS).filter(([, row]) => row.status === status)
  return {
    description: rows.map(([code, { title }]) => `${title} (\`${code}\`)`).join('; '),
    headers: headersOf(status),
    content: problemContent(),
  }
}

function headersOf(status: number): NonNullable<ResponseObject['headers']> {
  const text = (description: string) => ({ description, schema: { type: 'string' } as const })
  const mayWait = status === 409 || status === 429 || status === 503
  return {
    'X-Request-Id': text('Finds the request in the logs'),
    ...(status === 401 && { 'WWW-Authenticate': text('`Bearer`') }),
    ...(mayWait && {
      'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } as const },
    }),
  }
}
