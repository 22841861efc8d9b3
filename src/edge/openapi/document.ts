import type { Deprecation } from '#contract/core/deprecation.ts'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '#contract/core/limits.ts'
import {
  type Access,
  type Concurrency,
  inputInQuery,
  type Operation,
  pathParameters,
  type RateLimit,
} from '#contract/core/operation.ts'
import { RECORD_ID } from '#contract/core/stream.ts'
import { bodyLimitOf } from '../input/body-limit.ts'
import {
  type Content,
  contentOf,
  type ResponseObject,
  type Responses,
  responsesOf,
  sharedResponses,
  takesBody,
} from './responses.ts'
import { createSchemas, type JsonSchema, type Reference, type Schemas } from './schema.ts'
import { describeTag, type Tag } from './tags.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export type OperationObject = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  deprecated?: true
  security: Record<string, string[]>[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Content }
  responses: Responses
  'x-svc-access': Access
  'x-svc-effect': Operation['effect']
  'x-svc-body-limit': number
  'x-svc-rate-limits'?: readonly RateLimit[]
  'x-svc-concurrency'?: Concurrency
  'x-svc-deprecation'?: Deprecation
  'x-svc-mcp-tool'?: { name: string; endpoint: string }
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  tags: Tag[]
  paths: Record<string, Partial<Record<Method, OperationObject>>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, ResponseObject>
    parameters: Record<string, Parameter>
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  }
}

/** Describes the operations as an OpenAPI 3.1 document, in JSON Schema draft 2020-12 as `z.toJSONSchema` writes it. */
export function toOpenApi(
  operations: readonly Operation[],
  info: { version: string; baseUrl?: string },
): OpenApiDocument {
  const schemas = createSchemas()
  const paths = pathsOf(operations, schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc',
      version: info.version,
      description: 'Lets AI agents near company data and code, safely.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.baseUrl ?? '/' }],
    tags: [...new Set(operations.map(tagOf))].map(describeTag),
    paths,
    components: {
      schemas: schemas.shared,
      responses: sharedResponses(paths),
      parameters: HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or the token of a signed-in user' },
        operator: { type: 'http', scheme: 'bearer', description: 'The operator token, `SVC_OPERATOR_TOKEN`' },
      },
    },
  }
}

function pathsOf(operations: readonly Operation[], schemas: Schemas): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {}
  for (const op of operations) {
    paths[op.path] ??= {}
    const methods = paths[op.path]!
    const method = op.method.toLowerCase() as Method
    if (methods[method]) throw new Error(`${op.method} ${op.path} is defined twice`)
    methods[method] = describe(op, schemas)
  }
  return paths
}

function tagOf(op: Operation): string {
  return op.name.split('.')[0]!
}

function describe(op: Operation, schemas: Schemas): OperationObject {
  const input = schemas.of(op.input, 'input', `${op.name}.input`)
  const parameters = parametersOf(op, input)
  const requestBody = bodyOf(op, input)
  return {
    operationId: op.name,
    tags: [tagOf(op)],
    summary: op.summary,
    ...(op.description !== undefined && { description: op.description }),
    ...(op.deprecated && { deprecated: true as const }),
    security: op.access === 'public' ? [] : [{ [op.access === 'operator' ? 'operator' : 'bearer']: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(op, schemas),
    'x-svc-access': op.access,
    'x-svc-effect': op.effect,
    'x-svc-body-limit': bodyLimitOf(op),
    ...(op.rateLimits && { 'x-svc-rate-limits': op.rateLimits }),
    ...(op.concurrency && { 'x-svc-concurrency': op.concurrency }),
    ...(op.deprecated && { 'x-svc-deprecation': op.deprecated }),
    ...(op.kind === 'json' && op.tool && { 'x-svc-mcp-tool': { name: op.tool.name, endpoint: op.tool.endpoint } }),
  }
}

function parametersOf(op: Operation, { properties = {}, required = [] }: JsonSchema): (Parameter | Reference)[] {
  const params = pathParameters(op.path)
  const inQuery = inputInQuery(op) ? Object.keys(properties).filter((key) => !params.includes(key)) : []
  const idempotent = op.kind === 'json' && op.idempotent
  return [
    ...params.map((name) => toParameter(name, 'path', true, properties[name])),
    ...inQuery.map((name) => toParameter(name, 'query', required.includes(name), properties[name])),
    ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(op.kind === 'stream' && op.resumable ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
  ]
}

function toParameter(
  name: string,
  place: Parameter['in'],
  required: boolean,
  property: JsonSchema | boolean = {},
): Parameter {
  const { description, ...schema } = typeof property === 'object' ? property : {}
  return { name, in: place, required, ...(description !== undefined && { description }), schema }
}

function bodyOf(op: Operation, input: JsonSchema): OperationObject['requestBody'] {
  if (!takesBody(op)) return undefined
  if (op.kind === 'upload' || (op.kind === 'raw' && !op.jsonInput))
    return { required: true, content: contentOf(op.consumes ?? []) }
  const schema = withoutKeys(input, pathParameters(op.path))
  // An operation whose whole input is in the path takes no body.
  if (Object.keys(schema.properties ?? {}).length === 0) return undefined
  return { required: (schema.required ?? []).length > 0, content: contentOf(['application/json'], schema) }
}

function withoutKeys(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const { properties = {}, required = [], ...rest } = schema
  const stillRequired = required.filter((key) => !keys.includes(key))
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key))),
    ...(stillRequired.length > 0 && { required: stillRequired }),
  }
}

const optionalHeader = { in: 'header', required: false } as const
const HEADERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    ...optionalHeader,
    description: 'Repetitions with the same key get the answer of the first request; with another body they get 409',
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    ...optionalHeader,
    description: 'Start after the event with this id. Takes precedence over `last_id`.',
    schema: { type: 'string', pattern: RECORD_ID.source },
  },
}
