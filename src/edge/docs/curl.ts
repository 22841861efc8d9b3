import type { OpenApiDocument, OperationObject, Parameter } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schema.ts'

export type Endpoint = { method: string; path: string; op: OperationObject }

/** Returns a curl command that works once its variables are set and its placeholders are replaced. */
export function curlExample({ method, path, op }: Endpoint, doc: OpenApiDocument): string {
  const server = doc.servers[0]?.url ?? '/'
  const base = server.startsWith('/') ? `$SVC_URL${server.replace(/\/$/, '')}` : server.replace(/\/$/, '')
  const url = base + path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const body = bodyOptions(op, doc)
  const query = queryOptions(op)
  const verb = method === (body.length > 0 ? 'POST' : 'GET') ? '' : `-X ${method} `
  const lines = [`curl ${verb}"${url}"`, ...tokenOption(op), ...streamOptions(op), ...query, ...body]
  return lines.join(' \\\n  ')
}

function tokenOption({ 'x-svc-access': access }: OperationObject): string[] {
  if (access === 'public') return []
  return [`-H "Authorization: Bearer $${access === 'operator' ? 'SVC_OPERATOR_TOKEN' : 'SVC_TOKEN'}"`]
}

/** Adds `-N` for streams, because curl otherwise buffers the events. */
function streamOptions({ responses }: OperationObject): string[] {
  const ok = responses['200']
  return ok && 'content' in ok && ok.content?.['application/x-ndjson'] ? ['-N'] : []
}

/** Uses `--url-query`, which encodes the value and, unlike `-G`, keeps the body. */
function queryOptions({ parameters = [] }: OperationObject): string[] {
  const required = parameters.filter((one): one is Parameter => 'in' in one && one.in === 'query' && one.required)
  return required.map(({ name, schema }) => `--url-query ${quoted(`${name}=${sampleText(name, schema)}`)}`)
}

function sampleText(name: string, schema: JsonSchema): string {
  const value = sample(name, schema, {})
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function bodyOptions({ requestBody }: OperationObject, doc: OpenApiDocument): string[] {
  if (!requestBody) return []
  const [type = 'application/octet-stream', media] = Object.entries(requestBody.content)[0] ?? []
  const header = `-H ${quoted(`Content-Type: ${type}`)}`
  if (!media?.schema) return [header, '--data-binary @FILE']
  return [header, `-d ${quoted(JSON.stringify(sample('', media.schema, doc.components.schemas)))}`]
}

/** Quotes for the shell with single quotes, in which nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
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
