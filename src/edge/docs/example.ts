import type { OpenApiDocument, OperationObject, Parameter } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schema.ts'

export type Endpoint = { method: string; path: string; op: OperationObject }

/** A request that works once its variables are set and its placeholders are replaced. */
export type ExampleRequest = {
  readonly method: string
  /** Where requests go, without a slash at the end. It begins with a slash, or is empty, if the document does not say it. */
  readonly server: string
  /** The path with its parameters in braces, and their names. */
  readonly path: string
  readonly parameters: readonly string[]
  readonly query: readonly (readonly [name: string, text: string])[]
  /** The environment variable that holds the token, if one is needed. */
  readonly token: 'SVC_TOKEN' | 'SVC_OPERATOR_TOKEN' | undefined
  /** A body without a value is a file. */
  readonly body: { readonly type: string; readonly value?: unknown } | undefined
  readonly answer: 'json' | 'stream' | 'other'
}

export function exampleOf({ method, path, op }: Endpoint, doc: OpenApiDocument): ExampleRequest {
  return {
    method,
    server: (doc.servers[0]?.url ?? '/').replace(/\/$/, ''),
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: queryOf(op),
    token: tokenOf(op),
    body: bodyOf(op, doc),
    answer: answerOf(op),
  }
}

function tokenOf({ 'x-svc-access': access }: OperationObject): ExampleRequest['token'] {
  if (access === 'public') return undefined
  return access === 'operator' ? 'SVC_OPERATOR_TOKEN' : 'SVC_TOKEN'
}

function answerOf({ responses }: OperationObject): ExampleRequest['answer'] {
  const good = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const content = good && 'content' in good ? (good.content ?? {}) : {}
  if (content['application/x-ndjson']) return 'stream'
  return content['application/json'] ? 'json' : 'other'
}

function queryOf({ parameters = [] }: OperationObject): ExampleRequest['query'] {
  const required = parameters.filter((one): one is Parameter => 'in' in one && one.in === 'query' && one.required)
  return required.map(({ name, schema }) => [name, sampleText(name, schema)])
}

function sampleText(name: string, schema: JsonSchema): string {
  const value = sample(name, schema, {})
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function bodyOf({ requestBody }: OperationObject, doc: OpenApiDocument): ExampleRequest['body'] {
  if (!requestBody) return undefined
  const [type = 'application/octet-stream', media] = Object.entries(requestBody.content)[0] ?? []
  return media?.schema ? { type, value: sample('', media.schema, doc.components.schemas) } : { type }
}

const FORMATS: Record<string, string> = {
  email: 'person@example.com',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  uri: 'https://example.com',
}

/** Returns the smallest valid value: required keys only, and null below a depth of 8 (recursive schemas). */
function sample(name: string, schema: JsonSchema, shared: Record<string, JsonSchema>, depth = 0): unknown {
  if (depth > 8) return null
  const inner = (key: string, part: JsonSchema | boolean | undefined) =>
    typeof part === 'object' ? sample(key, part, shared, depth + 1) : null
  const whole = schema.$ref === undefined ? schema : (shared[schema.$ref.split('/').at(-1)!] ?? {})
  const variant = whole.anyOf?.[0] ?? whole.oneOf?.[0]
  if (variant) return inner(name, variant)
  if (whole.default !== undefined) return whole.default
  if (whole.const !== undefined) return whole.const
  if (whole.enum) return whole.enum[0]
  switch (Array.isArray(whole.type) ? whole.type[0] : whole.type) {
    case 'object':
      return Object.fromEntries((whole.required ?? []).map((key) => [key, inner(key, whole.properties?.[key])]))
    case 'array':
      return [inner(name, [whole.items].flat()[0])]
    case 'integer':
    case 'number':
      return whole.minimum !== undefined && whole.minimum > 0 ? whole.minimum : 1
    case 'boolean':
      return true
    case 'string':
      return FORMATS[whole.format ?? ''] ?? `<${name}>`
    default:
      return null
  }
}
