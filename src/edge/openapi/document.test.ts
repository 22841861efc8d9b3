import { readFileSync } from 'node:fs'
import { Ajv } from '@modelcontextprotocol/server/validators/ajv'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERRORS } from '#contract/core/errors.ts'
import { type Operation, operation, pathParameters } from '#contract/core/operation.ts'
import { LastId } from '#contract/core/stream.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { type OpenApiDocument, type OperationObject, type Parameter, toOpenApi } from './document.ts'
import type { JsonSchema } from './schema.ts'
import { DESCRIBED_TAGS } from './tags.ts'

const doc = toOpenApi(OPERATIONS, { version: '1.2.3' })

const common = { summary: 'A test', effect: 'read', bodyLimit: 1000, access: 'public' } as const
const member = { principals: ['user', 'agent'], role: 'viewer', scope: 'functions:call', org: 'path' } as const
const Tree = z.strictObject({
  name: z.string(),
  get children() {
    return z.array(Tree).optional()
  },
})

const list = operation({
  ...common,
  kind: 'json',
  name: 'test.list',
  method: 'GET',
  path: '/orgs/{org_id}/things',
  access: member,
  format: 'yaml',
  rateLimits: [{ name: 'list', per: 'org', limit: 5, windowSeconds: 60 }],
  input: z.object({ org_id: z.string().describe('Whose'), limit: z.int().default(50), q: z.string() }),
  output: z.object({ at: z.iso.datetime(), tree: Tree }),
  tool: { name: 'things_list', description: 'Lists', endpoint: 'platform' },
})
const save = operation({
  ...common,
  kind: 'json',
  name: 'test.save',
  method: 'PUT',
  path: '/things/{id}',
  access: 'operator',
  effect: 'write',
  idempotent: true,
  status: 201,
  description: 'Saves it.',
  input: z.object({ id: z.string(), tree: Tree, note: z.string().optional() }),
  output: z.object({ id: z.string() }),
})
const touch = operation({ ...save, name: 'test.touch', method: 'POST', input: z.object({ id: z.string() }) })
const follow = operation({
  ...common,
  kind: 'stream',
  name: 'test.follow',
  method: 'POST',
  path: '/follow',
  input: z.object({ since: z.string().optional() }),
  event: z.object({ n: z.int() }),
})
const upload = operation({
  ...common,
  kind: 'upload',
  name: 'test.upload',
  method: 'POST',
  path: '/upload',
  input: z.object({ label: z.string() }),
  output: z.object({ id: z.string() }),
  consumes: ['application/gzip'],
})
const raw = operation({
  ...common,
  kind: 'raw',
  name: 'other.raw',
  method: 'GET',
  path: '/raw',
  input: z.object({}),
  produces: ['text/html'],
})
const ALL_KINDS: readonly Operation[] = [list, save, touch, follow, upload, raw]
const kinds = toOpenApi(ALL_KINDS, { version: '1', baseUrl: 'https://svc.test' })

function described(of: OpenApiDocument): { path: string; method: string; op: OperationObject }[] {
  return Object.entries(of.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, op]) => ({ path, method: method.toUpperCase(), op })),
  )
}

function find(of: OpenApiDocument, name: string): OperationObject {
  return described(of).find(({ op }) => op.operationId === name)!.op
}

/** Every object in a tree, with the path to it. */
function* objectsIn(value: unknown, path = ''): Generator<[path: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>]
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, `${path}/${key}`)
}

function lookUp(of: OpenApiDocument, ref: string): unknown {
  const keys = ref.replace(/^#\//, '').split('/')
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], of)
}

/** Objects that would let an unknown key pass. A map says what its values are and has no keys of its own. */
function lax(of: OpenApiDocument, body: unknown): string[] {
  const followed = new Set<string>()
  const look = (schema: unknown): string[] =>
    [...objectsIn(schema)].flatMap(([path, object]) => {
      const ref = object.$ref
      if (typeof ref === 'string' && !followed.has(ref)) {
        followed.add(ref)
        return look(lookUp(of, ref))
      }
      const isMap = object.properties === undefined && typeof object.additionalProperties === 'object'
      return object.type === 'object' && object.additionalProperties !== false && !isMap ? [path] : []
    })
  return look(body)
}

describe.each([
  ['the product', doc, OPERATIONS],
  ['every kind', kinds, ALL_KINDS],
] as const)('the document of %s', (_, of, operations) => {
  it('OP-04 lists every operation once, where it is and with its access', () => {
    const listed = described(of).map(({ path, method, op }) => [
      op.operationId,
      { method, path, access: op['x-svc-access'] },
    ])
    const defined = operations.map(({ name, method, path, access }) => [name, { method, path, access }])
    expect(listed).toHaveLength(defined.length)
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(defined))
  })

  it('has no reference that leads nowhere', () => {
    const refs = [...objectsIn(of)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(0)
    for (const ref of refs) expect([ref, lookUp(of, ref)]).toEqual([ref, expect.anything()])
  })

  it('refuses unknown keys at every depth of every request body', () => {
    for (const { op } of described(of)) expect([op.operationId, lax(of, op.requestBody)]).toEqual([op.operationId, []])
  })

  it('asks for every parameter of every path', () => {
    for (const { path, op } of described(of)) {
      const inPath = (op.parameters ?? []).filter((one): one is Parameter => 'in' in one && one.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual(pathParameters(path))
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
  })

  it('has schemas that a validator takes', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const [path, { schema }] of objectsIn(of)) {
      if (typeof schema !== 'object' || schema === null || path.endsWith('/properties')) continue
      expect(() => ajv.compile({ ...schema, components: of.components }), path).not.toThrow()
    }
  })

  it('says nothing that JSON cannot carry', () => {
    expect(JSON.parse(JSON.stringify(of))).toEqual(of)
  })
})

describe('the frame', () => {
  it('is OpenAPI 3.1.1 with our version, servers and tags', () => {
    expect(kinds).toMatchObject({ openapi: '3.1.1', info: { title: 'svc', version: '1' } })
    expect(kinds.servers).toEqual([{ url: 'https://svc.test' }])
    expect(doc.servers).toEqual([{ url: '/' }])
    expect(kinds.tags.map(({ name }) => name)).toEqual(['test', 'other'])
  })

  it('names the licence of the package, and describes every tag of the product and no other', () => {
    const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string }
    expect(doc.info.license).toEqual({ name: license, identifier: license })
    expect(doc.tags.map(({ name }) => name).toSorted()).toEqual(DESCRIBED_TAGS.toSorted())
    expect(doc.tags.find(({ name }) => name === 'tokens')).toEqual({
      name: 'tokens',
      'x-displayName': 'API tokens',
      description: 'Create and revoke tokens that act for you.',
    })
  })

  it('describes a problem with every code, and a shared answer for every status that an operation names', () => {
    const { schemas, responses } = doc.components
    expect((schemas.Problem!.properties!.code as JsonSchema).enum).toEqual(Object.keys(ERRORS))
    const named = described(doc).flatMap(({ op }) => Object.keys(op.responses))
    const refusals = named.filter((status) => /^[45]/.test(status)).map((status) => `Problem${status}`)
    expect(Object.keys(responses).toSorted()).toEqual([...new Set(['Problem', ...refusals])].toSorted())
    expect(responses.Problem403!.description).toBe(
      'Not allowed (`FORBIDDEN`); Cross-site request refused (`CSRF`); Read-only session (`READ_ONLY_SESSION`); Proposal asked for by the same person (`PROPOSAL_OWN`)',
    )
    expect(Object.keys(responses.Problem429!.headers!)).toEqual(['X-Request-Id', 'Retry-After'])
    expect(Object.keys(responses.Problem401!.headers!)).toEqual(['X-Request-Id', 'WWW-Authenticate'])
  })

  it('two operations in one place are refused', () => {
    expect(() => toOpenApi([list, { ...list, name: 'test.other' }], { version: '1' })).toThrow(
      'GET /orgs/{org_id}/things is defined twice',
    )
  })
})

describe('one operation', () => {
  it('takes path and query from the input of a read', () => {
    expect(find(kinds, 'test.list').parameters).toEqual([
      { name: 'org_id', in: 'path', required: true, description: 'Whose', schema: { type: 'string' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ type: 'integer', default: 50 }),
      },
      { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
    ])
    expect(find(kinds, 'test.list').requestBody).toBeUndefined()
  })

  it('takes the body of a write without the keys of the path, and the key of repetitions', () => {
    const { parameters, requestBody, description } = find(kinds, 'test.save')
    expect(description).toBe('Saves it.')
    expect(parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ])
    expect(requestBody).toMatchObject({ required: true })
    const schema = requestBody!.content['application/json']!.schema!
    expect(schema).toMatchObject({ type: 'object', required: ['tree'], additionalProperties: false })
    expect(Object.keys(schema.properties!)).toEqual(['tree', 'note'])
  })

  it('has no body where the path says all', () => {
    expect(find(kinds, 'test.touch').requestBody).toBeUndefined()
    expect(find(kinds, 'test.follow').requestBody).toMatchObject({ required: false })
  })

  it('answers in its own format first', () => {
    const types = (name: string, status: string) => {
      const response = find(kinds, name).responses[status]!
      return 'content' in response ? Object.keys(response.content ?? {}) : []
    }
    expect(types('test.list', '200')).toEqual(['application/yaml', 'application/json'])
    expect(types('test.save', '201')).toEqual(['application/json', 'application/yaml'])
    expect(types('test.upload', '200')).toEqual(['application/json', 'application/yaml'])
    expect(types('test.follow', '200')).toEqual(['application/x-ndjson', 'text/event-stream'])
    expect(types('other.raw', '200')).toEqual(['text/html'])
  })

  it('an upload takes what it consumes, and its input in the query', () => {
    const { parameters, requestBody } = find(kinds, 'test.upload')
    expect(parameters).toEqual([{ name: 'label', in: 'query', required: true, schema: { type: 'string' } }])
    expect(requestBody).toEqual({ required: true, content: { 'application/gzip': {} } })
  })

  it('a stream gives events, and a problem or an end as its last record', () => {
    const response = find(kinds, 'test.follow').responses['200']!
    const [event, fault, end] =
      ('content' in response && response.content?.['application/x-ndjson']?.schema?.anyOf) || []
    expect(event).toMatchObject({ type: 'object', required: ['n'] })
    expect(fault).toMatchObject({ properties: { problem: { $ref: '#/components/schemas/Problem' } } })
    expect(end).toMatchObject({ properties: { end: { properties: { reason: { enum: ['done', 'shutdown'] } } } } })
  })

  it('a resumable stream says how it is continued', () => {
    const op = operation({ ...follow, method: 'GET', resumable: true, input: z.object({ last_id: LastId }) })
    const parameters = find(toOpenApi([op], { version: '1' }), 'test.follow').parameters ?? []
    expect(parameters).toEqual([
      expect.objectContaining({ name: 'last_id', in: 'query', required: false }),
      { $ref: '#/components/parameters/LastEventId' },
    ])
  })

  it('an answer may gain keys later', () => {
    const response = find(kinds, 'test.save').responses['201']!
    expect('content' in response && response.content?.['application/json']?.schema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    })
  })

  it.each([
    ['test.list', ['200', '400', '401', '403', '404', '429', '500', '503', 'default']],
    ['test.save', ['201', '400', '401', '404', '409', '413', '415', '500', '503', 'default']],
    ['test.follow', ['200', '400', '413', '415', '500', '503', 'default']],
    ['test.upload', ['200', '400', '413', '415', '500', '503', 'default']],
    ['other.raw', ['200', '400', 'default']],
  ])('%s can answer %j', (name, statuses) => {
    expect(Object.keys(find(kinds, name).responses)).toEqual(statuses)
  })

  it('says who may call, what it does and how it is limited', () => {
    expect(find(kinds, 'test.list')).toMatchObject({
      security: [{ bearer: [] }],
      'x-svc-access': member,
      'x-svc-effect': 'read',
      'x-svc-body-limit': 1000,
      'x-svc-rate-limits': [{ per: 'org', limit: 5, windowSeconds: 60 }],
      'x-svc-mcp-tool': { name: 'things_list', endpoint: 'platform' },
    })
    expect(find(kinds, 'test.save').security).toEqual([{ operator: [] }])
    expect(find(kinds, 'other.raw').security).toEqual([])
  })
})

describe('a recursive schema', () => {
  it('is read by a validator as deep as it goes', () => {
    const schema = find(kinds, 'test.save').requestBody!.content['application/json']!.schema!
    const validate = new Ajv({ strict: false }).compile({ ...schema, components: kinds.components })
    expect(validate({ tree: { name: 'a', children: [{ name: 'b', children: [] }] } })).toBe(true)
    expect(validate({ tree: { name: 'a', children: [{ name: 'b', children: [{ nam: 'c' }] }] } })).toBe(false)
  })
})

describe('the guard over request bodies', () => {
  it('finds an object that lets unknown keys pass, however deep', () => {
    const deep = z.object({ id: z.string(), a: z.array(z.union([z.string(), z.object({ b: z.string() })])) })
    const planted = toOpenApi([operation({ ...save, input: deep })], { version: '1' })
    expect(lax(planted, find(planted, 'test.save').requestBody)).toHaveLength(1)
  })
})
