import { Ajv } from '@modelcontextprotocol/server/validators/ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { type OperationObject, type Parameter, toOpenApi } from '#edge/openapi/document.ts'
import type { JsonSchema } from '#edge/openapi/schema.ts'
import { createAddressCheck } from '#lib/net/safe-fetch.ts'
import { valuesOf } from '#test/rules/schema-values.ts'
import { type System, startSystem } from '#test/system.ts'

const doc = toOpenApi(OPERATIONS, { version: '1.2.3' })
const { schemas, responses: sharedResponses, parameters: sharedParameters } = doc.components
const SEED = 19
/** Requests to each operation: generated ones, the same without optional parameters, and as many with a value replaced. */
const RUNS = 2
/** Each creates a database, which takes seconds. Their wrong requests are sent. */
const SLOW = new Set(['databases.create'])

const DESCRIBED = OPERATIONS.filter(({ kind }) => kind === 'json')
  .map(({ name, method, path }) => {
    const op = Object.values(doc.paths[path]!).find(({ operationId }) => operationId === name)!
    return { name, method, path, op }
  })
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

/** Compares what is answered with what the document says; `default` stands for what every operation can answer. */
describe('OP-04 every answer is one that the OpenAPI document describes', () => {
  let system: System
  let token: string
  let org: string
  const seen = createSeenValues()
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isProblem = ajv.compile({ ...schemas.Problem })

  beforeAll(async () => {
    const safeFetch = () => Promise.reject(new Error('no network in this test'))
    const checkAddress = createAddressCheck({
      resolve: () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]),
    })
    system = await startSystem({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' }, safeFetch, checkAddress })
    const owner = await system.member('owner')
    token = owner.token
    org = owner.org_id
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it.each(DESCRIBED)('$name', async ({ name, method, path, op }) => {
    const schema = op.requestBody?.content['application/json']?.schema
    const requests = fc.sample(requestsOf(op, schema), { numRuns: RUNS, seed: SEED })
    const wrong = fc.sample(fc.tuple(requestsOf(op, schema), fc.jsonValue({ maxDepth: 1 }), fc.nat()), {
      numRuns: RUNS,
      seed: SEED,
    })
    const required = requests.map((request) => ({ ...request, query: requiredOf(op, request.query) }))
    const all = [
      ...(SLOW.has(name) ? [] : [...required, ...requests]),
      ...wrong.map(([request, value, at]) => damaged(request, value, at)),
    ]
    for (const { params, query, body } of all) {
      const address = path.replace(/\{(\w+)\}/g, (_, key: string, at: number) =>
        encodeURIComponent(key === 'org_id' ? org : (seen.find(path.slice(0, at - 1), key) ?? textOf(params[key]))),
      )
      const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
      const operator = op['x-svc-access'] === 'operator' ? system.config.secrets.operatorToken : token
      const response = await fetch(`${system.url}${address}?${search.toString()}`, {
        method,
        headers: {
          authorization: `Bearer ${operator}`,
          'x-forwarded-for': `203.0.113.${DESCRIBED.findIndex((one) => one.name === name) % 250}`,
          accept: 'application/json',
          // Generating can take longer than the server keeps a connection without requests.
          connection: 'close',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const sent = JSON.stringify({ method, address, query, body })
      expect(
        faultOf(op, response, text),
        `${sent} was answered ${response.status} ${text.slice(0, 500)}`,
      ).toBeUndefined()
      if (response.ok) seen.learn(path, JSON.parse(text))
    }
  })

  /** A cursor made of any text is refused, so some requests leave out what they may leave out. */
  function requiredOf(op: OperationObject, query: Record<string, unknown>): Record<string, unknown> {
    const names = parametersOf(op).flatMap((one) => (one.required ? [one.name] : []))
    return Object.fromEntries(Object.entries(query).filter(([key]) => names.includes(key)))
  }

  function parametersOf(op: OperationObject): Parameter[] {
    return (op.parameters ?? [])
      .map((one) => ('$ref' in one ? sharedParameters[one.$ref.split('/').at(-1)!]! : one))
      .filter((one) => one.in !== 'header')
  }

  function requestsOf(op: OperationObject, schema: JsonSchema | undefined) {
    const parameters = parametersOf(op)
    const inPlace = (place: Parameter['in']) => {
      const those = parameters.filter((one) => one.in === place)
      const model = Object.fromEntries(those.map((one) => [one.name, valuesOf(one.schema, schemas)]))
      return fc.record(model, { requiredKeys: those.filter(({ required }) => required).map((one) => one.name) })
    }
    const body = schema ? valuesOf(schema, schemas) : fc.constant(undefined)
    return fc.record({ params: inPlace('path'), query: inPlace('query'), body })
  }

  type Request = { params: Record<string, unknown>; query: Record<string, unknown>; body: unknown }

  /** Replaces one value of the body, or of the query, by any other. */
  function damaged(request: Request, value: unknown, at: number): Request {
    const place = typeof request.body === 'object' && request.body !== null ? 'body' : 'query'
    const keys = Object.keys(request[place] as object)
    const key = keys[at % Math.max(keys.length, 1)] ?? 'unknown'
    return { ...request, [place]: { ...(request[place] as object), [key]: value } }
  }

  /** An empty segment or dots would be another address. */
  function textOf(value: unknown): string {
    return ['', '.', '..'].includes(String(value)) ? 'x' : String(value)
  }

  function faultOf(op: OperationObject, response: Response, text: string): string | undefined {
    const described = op.responses[String(response.status)]
    if (!described) return `the status ${response.status} is not described`
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    const { content = {} } = '$ref' in described ? sharedResponses[described.$ref.split('/').at(-1)!]! : described
    if (!(type in content)) return `the type ${type} is not described`
    const value: unknown = JSON.parse(text)
    if (response.status >= 500) return 'it failed'
    if (response.status >= 400) return isProblem(value) ? undefined : ajv.errorsText(isProblem.errors)
    const isRight = ajv.compile({ ...content[type]!.schema, components: { schemas } })
    return isRight(value) ? undefined : ajv.errorsText(isRight.errors)
  }
})

/** Keeps the names and ids that collections answered with, so that later requests name things that exist. */
function createSeenValues() {
  const values = new Map<string, string>()
  return {
    learn: (collection: string, answer: unknown): void => {
      const { items = [], ...whole } = answer as { items?: unknown[] }
      for (const entry of [...items, whole]) {
        for (const [key, value] of Object.entries(entry as object)) {
          if (typeof value === 'string') values.set(`${collection} ${key}`, value)
        }
      }
    },
    find: (collection: string, key: string): string | undefined =>
      values.get(`${collection} ${key}`) ?? values.get(`${collection} id`),
  }
}
