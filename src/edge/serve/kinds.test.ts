import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { operation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { LastId } from '#contract/core/stream.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { untilDone } from '#test/until.ts'
import { createCallerResolver, createPrincipalCache, invalidToken } from '../credentials/caller.ts'
import { type RequestInfo, route, type ServiceFetch } from '../route/route.ts'
import { createEdge, type EdgeDeps } from './create-edge.ts'

const open = { access: 'public', effect: 'read', bodyLimit: 0 } as const
const member = { principals: ['api_token'], role: 'developer', scope: null, org: 'token' } as const

const count = operation({
  ...open,
  kind: 'stream',
  name: 'test.count',
  method: 'GET',
  path: '/count',
  summary: 'Counts',
  input: z.object({ to: z.int(), break_at: z.int().optional() }),
  event: z.object({ n: z.int() }),
})
const follow = operation({
  ...open,
  kind: 'stream',
  name: 'test.follow',
  method: 'GET',
  path: '/follow',
  summary: 'Follows',
  resumable: true,
  input: z.object({ last_id: LastId }),
  event: z.object({ id: z.string(), after: z.string() }),
})
const upload = operation({
  kind: 'upload',
  name: 'test.upload',
  method: 'PUT',
  path: '/files/{name}',
  summary: 'Takes bytes',
  access: 'public',
  effect: 'write',
  bodyLimit: 1000,
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string(), size: z.int() }),
  consumes: ['application/octet-stream'],
})
const away = operation({
  ...open,
  kind: 'raw',
  name: 'test.away',
  method: 'GET',
  path: '/away',
  summary: 'Away',
  input: z.object({}),
  produces: ['text/html'],
})
const page = operation({
  ...open,
  kind: 'raw',
  name: 'test.page',
  method: 'GET',
  path: '/page',
  summary: 'Page',
  rateLimits: [{ name: 'test-page', per: 'address', limit: 3, windowSeconds: 60 }],
  input: z.object({ n: z.int().optional() }),
  produces: ['text/html'],
})
const wrong = operation({
  ...open,
  kind: 'json',
  name: 'test.wrong',
  method: 'GET',
  path: '/wrong',
  summary: 'Wrong',
  input: z.object({}),
  output: z.object({ n: z.int() }),
})
const slim = operation({
  ...open,
  kind: 'json',
  name: 'test.slim',
  method: 'GET',
  path: '/slim',
  summary: 'Slim',
  input: z.object({ q: z.array(z.string()).optional(), n: z.int().optional(), b: z.boolean().optional() }),
  output: z.object({ shown: z.string(), input: z.unknown() }),
})
const old = operation({
  ...open,
  kind: 'json',
  name: 'test.old',
  method: 'GET',
  path: '/old',
  summary: 'Old',
  deprecated: { since: '2026-01-01', sunset: '2026-07-05', use: 'test.slim' },
  input: z.object({}),
  output: z.object({ shown: z.string() }),
})
const limited = operation({
  ...open,
  kind: 'json',
  name: 'test.limited',
  method: 'GET',
  path: '/limited',
  summary: 'Limited',
  rateLimits: [{ name: 'test', per: 'address', limit: 2, windowSeconds: 60 }],
  input: z.object({}),
  output: z.object({}),
})
const parted = operation({
  kind: 'json',
  name: 'test.parted',
  method: 'GET',
  path: '/apps/{alias}',
  summary: 'Parted',
  access: { ...member, part: 'builder' },
  effect: 'read',
  bodyLimit: 0,
  input: z.object({ alias: z.string() }),
  output: z.object({ org: z.string() }),
})

const once = operation({
  kind: 'json',
  name: 'test.once',
  method: 'POST',
  path: '/once',
  summary: 'Once',
  access: { principals: ['api_token'], role: 'viewer', scope: null, org: 'token' },
  effect: 'write',
  bodyLimit: 1000,
  idempotent: true,
  input: z.object({ fail: z.enum(['before', 'after', 'no']) }),
  output: z.object({ done: z.int() }),
})
const slow = operation({
  ...open,
  kind: 'json',
  name: 'test.slow',
  method: 'GET',
  path: '/slow',
  summary: 'Slow',
  input: z.object({}),
  output: z.object({}),
})

const noted = operation({
  kind: 'json',
  name: 'test.noted',
  method: 'POST',
  path: '/noted/{id}',
  summary: 'Noted',
  access: member,
  effect: 'read',
  bodyLimit: 100,
  rateLimits: [{ name: 'test-noted', per: 'address', limit: 3, windowSeconds: 60 }],
  input: z.object({ id: z.string(), n: z.int() }),
  output: z.object({}),
})

describe('every kind of operation through the edge', () => {
  const clock = testClock()
  let database: TestDatabase
  let edge: ServiceFetch
  let deps: EdgeDeps
  let answerOfAuth: () => Promise<Principal>
  const logs: string[] = []
  let runs = 0
  const refusals: unknown[] = []

  beforeAll(async () => {
    database = await openTestDatabase()
    const routes = [
      route(count, async function* ({ to, break_at }) {
        for (let n = 1; n <= to; n++) {
          if (n === break_at) throw new Error('inner text')
          yield { n }
        }
      }),
      route(follow, async function* ({ last_id = 'the start' }) {
        yield { id: 'a', after: last_id }
      }),
      route(upload, async ({ name }, _, body) => {
        let size = 0
        for await (const chunk of body) size += chunk.byteLength
        return { name, size }
      }),
      route(away, async () => Response.redirect('http://elsewhere.example/', 303)),
      route(page, async () => new Response('<p>naïve</p>', { headers: { 'content-type': 'text/html' } })),
      route(wrong, async () => ({ n: 'inner text' }) as unknown as { n: number }),
      route(slim, async (input) => ({ shown: 'yes', hidden: 'inner text', input })),
      route(old, async () => ({ shown: 'yes' })),
      route(limited, async () => ({})),
      route(once, async ({ fail }) => {
        const done = await database.db.tx(async (tx) => {
          const rows = await tx.query(
            sql`insert into svc.leases values (${`once ${++runs}`}, 'x', 1, now()) returning name`,
          )
          if (fail === 'before' && runs === 1) throw new DatabaseUnavailable('gone', { cause: null })
          return rows.length
        })
        if (fail === 'after' && runs === 1) throw new DatabaseUnavailable('gone', { cause: null })
        return { done }
      }),
      route(slow, () =>
        database.db.tx(
          async (tx) => {
            await tx.query(sql`select count(*) from generate_series(1, 10000000000)`)
            return {}
          },
          { timeoutMs: 200 },
        ),
      ),
      route(parted, async (_, { principal }) => ({ org: principal.org_id })),
      route(noted, async () => Promise.reject(new ServiceError('CONFLICT', 'by the handler')), {
        onRefused: async ({ error, params }, { principal }) => {
          if (params.id === 'unwritable') throw new DatabaseUnavailable('gone', { cause: null })
          refusals.push([error.code, params, principal.org_id])
        },
      }),
    ]
    deps = {
      service: 'test',
      resolve: createCallerResolver({
        audience: 'test',
        validate: () => answerOfAuth(),
        countFailure: async () => {},
        cache: createPrincipalCache(clock),
        clock,
      }),
      operatorToken: undefined,
      hasPart: async (_, alias) => alias === 'mine',
      db: database.db,
      kv: openMemoryStore(clock),
      sealer: createSealer(['ab'.repeat(32)]),
      clock,
      log: createLog('info', { write: (line: string) => void logs.push(line) }),
      metrics: createMetrics({ processMetrics: false }),
    }
    edge = createEdge(routes, deps)
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const from = (clientAddress: string): RequestInfo => ({
    clientAddress,
    requestId: 'req_1',
    via: 'api',
    direct: false,
  })
  const ask = (path: string, init: RequestInit & { duplex?: 'half' } = {}, info = from('198.51.100.1')) =>
    edge(new Request(`http://test${path}`, init), info)

  it('a stream is NDJSON, or SSE on request, and the typed client reads it', async () => {
    const ndjson = await ask('/count?to=2')
    expect([ndjson.headers.get('content-type'), await ndjson.text()]).toEqual([
      'application/x-ndjson',
      '{"n":1}\n{"n":2}\n',
    ])
    const sse = await ask('/count?to=2', { headers: { accept: 'text/event-stream' } })
    expect([sse.headers.get('content-type'), await sse.text()]).toEqual([
      'text/event-stream',
      'data: {"n":1}\n\ndata: {"n":2}\n\nevent: end\ndata: {"reason":"done"}\n\n',
    ])
    const client = createClient({ baseUrl: 'http://test', fetch: (request) => edge(request, from('198.51.100.1')) })
    expect(await Array.fromAsync(client.stream(count, { to: 3 }))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('a stream that fails ends with a problem that reveals no internals', async () => {
    const text = await (await ask('/count?to=5&break_at=2')).text()
    const [first, last] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(first).toEqual({ n: 1 })
    expect(last).toMatchObject({ problem: { code: 'INTERNAL', request_id: 'req_1' } })
    expect(text).not.toContain('inner text')
    expect(logs.at(-1)).toContain('inner text')
  })

  it('OP-03 a resumable stream learns the last id a caller saw, from the input or from Last-Event-ID', async () => {
    const startOf = async (path: string, headers: Record<string, string> = {}) => {
      const response = await ask(path, { headers })
      return response.ok ? (JSON.parse(await response.text()) as { after: string }).after : response.status
    }
    expect(await startOf('/follow')).toBe('the start')
    expect(await startOf('/follow?last_id=b')).toBe('b')
    expect(await startOf('/follow', { 'last-event-id': 'c' })).toBe('c')
    // A browser reconnects to the URL it first had, so the header is the newer of the two.
    expect(await startOf('/follow?last_id=b', { 'last-event-id': 'c' })).toBe('c')
    expect(await startOf('/follow?last_id=b', { 'last-event-id': '' })).toBe('b')
    expect(await startOf('/follow', { 'last-event-id': 'x'.repeat(201) })).toBe(400)
    expect(await startOf('/follow?last_id=a%0Ab')).toBe(400)
    expect((await ask('/count?to=1', { headers: { 'last-event-id': 'c' } })).status).toBe(200)
  })

  it('an upload is read as it comes, within its limit and of its media type', async () => {
    const put = (body: BodyInit, type = 'application/octet-stream') =>
      ask('/files/a%20b', { method: 'PUT', body, headers: { 'content-type': type }, duplex: 'half' })
    expect(await (await put(new Uint8Array(1000))).json()).toEqual({ name: 'a b', size: 1000 })
    expect((await put(new Uint8Array(1001))).status).toBe(413)
    expect((await put('x', 'text/plain')).status).toBe(415)
  })

  it('a raw answer is unchanged except for the request id header', async () => {
    const response = await ask('/away')
    expect([response.status, response.headers.get('location'), response.headers.get('x-request-id')]).toEqual([
      303,
      'http://elsewhere.example/',
      'req_1',
    ])
  })

  it('an answer passes the output schema: unnamed keys are removed, and a mismatch is INTERNAL without details', async () => {
    expect(await (await ask('/slim')).json()).toEqual({ shown: 'yes', input: {} })
    const response = await ask('/wrong')
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('inner text')])
  })

  it('OP-06 each answer of a deprecated operation announces its end, refusals and HEAD too', async () => {
    const answers = [await ask('/old'), await ask('/old?x=1'), await ask('/old', { method: 'HEAD' })]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200])
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        deprecation: '@1767225600',
        sunset: 'Sun, 05 Jul 2026 00:00:00 GMT',
        link: '</docs/test#test.old>; rel="deprecation"; type="text/html"',
        'x-request-id': 'req_1',
      })
    }
    expect(await answers[0]!.json()).toEqual({ shown: 'yes' })
    expect((await ask('/slim')).headers.has('deprecation')).toBe(false)
  })

  it('the query string is read by the types of the schema', async () => {
    const { input } = (await (await ask('/slim?q=a&q=b&n=3&b=true')).json()) as { input: unknown }
    expect(input).toEqual({ q: ['a', 'b'], n: 3, b: true })
    for (const query of ['n=x', 'n=1&n=2', 'b=yes', 'unknown=1', 'n=1e3']) {
      expect([query, (await ask(`/slim?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('too many requests from one address are 429 with Retry-After; another address and the next window pass', async () => {
    clock.set(new Date('2026-01-01T00:00:45Z'))
    expect((await ask('/limited')).status).toBe(200)
    expect((await ask('/limited')).status).toBe(200)
    const refused = await ask('/limited')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15'])
    expect((await ask('/limited', {}, from('198.51.100.2'))).status).toBe(200)
    clock.advance(15_000)
    expect((await ask('/limited')).status).toBe(200)
  })

  it('HEAD is GET without its content, with the same headers and the length', async () => {
    for (const [path, length] of [
      ['/slim?n=1', '31'],
      ['/page', '13'],
      ['/slim?x=1', '201'],
    ]) {
      const [got, head] = [await ask(path!), await ask(path!, { method: 'HEAD' })]
      expect([path, head.status, head.body]).toEqual([path, got.status, null])
      expect(Object.fromEntries(head.headers)).toEqual({ ...Object.fromEntries(got.headers), 'content-length': length })
    }
    const redirect = await ask('/away', { method: 'HEAD' })
    expect([redirect.status, redirect.headers.get('content-length')]).toEqual([303, null])
    expect((await ask('/once', { method: 'HEAD' })).headers.get('allow')).toBe('POST')
  })

  it('HEAD of a stream does not wait for its end', async () => {
    const head = await ask('/count?to=1000000000', { method: 'HEAD', headers: { accept: 'text/event-stream' } })
    expect([head.headers.get('content-type'), head.headers.get('content-length'), head.body]).toEqual([
      'text/event-stream',
      null,
      null,
    ])
  })

  const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } }

  it('a refusal of a page is a page for a browser, escaped, and a problem for everyone else', async () => {
    const at = from('198.51.100.7')
    const refused = await ask('/page?%3Cb%3E=1', BROWSER, at)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    const text = await refused.text()
    expect(text).toContain('<h1>Invalid request</h1>')
    expect(text).toContain('<p class="fault" role="alert">&lt;b&gt;: unknown key</p>')
    expect(text).toContain('<code>req_1</code>')
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0']) {
      const problem = await ask('/page?b=1', { headers: { accept } }, from(`198.51.100.7 ${accept}`))
      expect([accept, problem.headers.get('content-type')]).toEqual([accept, 'application/problem+json'])
    }
    expect((await ask('/slim?b=1', BROWSER)).headers.get('content-type')).toBe('application/problem+json')
  })

  it('too many requests to a page are a page with 429, Retry-After, no-store and the strict policy', async () => {
    clock.set(new Date('2026-01-01T01:00:45Z'))
    const at = from('198.51.100.8')
    for (let n = 0; n < 3; n++) expect((await ask('/page', BROWSER, at)).status).toBe(200)
    const refused = await ask('/page', BROWSER, at)
    const headers = Object.fromEntries(refused.headers)
    expect(refused.status).toBe(429)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '15',
      'cache-control': 'no-store',
      'x-request-id': 'req_1',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/)
    expect(await refused.text()).toContain('Try again in 15 seconds.')
  })

  it('a statement past its limit is 503 with Retry-After, and the next request is served', async () => {
    const response = await ask('/slow')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.text()).not.toMatch(/generate_series|statement|worker/)
    // Asked until it is answered, because the embedded engine starts anew, which takes long on a busy machine.
    expect(await untilDone(() => database.db.query(sql`select 1 as one`))).toEqual([{ one: 1 }])
  })

  const principal = (over: Partial<Principal> = {}): Principal => ({
    kind: 'api_token',
    id: 'tok_1',
    user_id: 'usr_1',
    org_id: 'org_1',
    role: 'developer',
    scopes: [],
    expires_at: null,
    ...over,
  })
  const asCaller = (token: string, path = '/apps/other') => ask(path, { headers: { authorization: `Bearer ${token}` } })

  const repeat = async (fail: string, key: string) => {
    const headers = { authorization: 'Bearer once', 'content-type': 'application/json', 'idempotency-key': key }
    const response = await ask('/once', { method: 'POST', body: JSON.stringify({ fail }), headers })
    return [response.status, ((await response.json()) as { code?: string }).code]
  }

  it('the idempotency key is free after an UNAVAILABLE before any commit', async () => {
    answerOfAuth = async () => principal()
    runs = 0
    expect(await repeat('before', 'k1')).toEqual([503, 'UNAVAILABLE'])
    expect(await repeat('before', 'k1')).toEqual([200, undefined])
  })

  it('after a commit the outcome is unknown at once, and a repetition does not run again', async () => {
    runs = 0
    expect(await repeat('after', 'k2')).toEqual([503, 'UNAVAILABLE'])
    expect(await repeat('after', 'k2')).toEqual([409, 'OUTCOME_UNKNOWN'])
    expect(runs).toBe(1)
  })

  it('a part in an app admits like the role, in that app only', async () => {
    answerOfAuth = async () => principal({ role: 'viewer' })
    expect((await asCaller('part', '/apps/mine')).status).toBe(200)
    expect((await asCaller('part', '/apps/other')).status).toBe(403)
  })

  it('a service with an operation that names a part in an app does not start without anyone to ask about parts', () => {
    const routes = [route(parted, async () => ({ org: 'org_1' }))]
    expect(() => createEdge(routes, { ...deps, hasPart: undefined })).toThrow(
      'test.parted names the part builder, but its service has no hasPart to ask',
    )
  })

  it('a route is notified of callers refused by the input rules or a rate limit, and of no others', async () => {
    const send = (id: string, body: string, address: string, token = 'noted') =>
      ask(
        `/noted/${id}`,
        { method: 'POST', body, headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` } },
        from(address),
      )
    const statusOf = async (response: Promise<Response>) => (await response).status
    answerOfAuth = async () => principal()
    const { org_id } = principal()
    expect(await statusOf(send('a', '{"n": "one"}', '198.51.100.7'))).toBe(400)
    expect(await statusOf(send('b', '{"n": ', '198.51.100.7'))).toBe(400)
    expect(await statusOf(send('c', '{"n": 1}', '198.51.100.7'))).toBe(409)
    expect(await statusOf(send('d', '{"n": 1}', '198.51.100.7'))).toBe(429)
    expect(refusals).toEqual([
      ['INVALID_REQUEST', { id: 'a' }, org_id],
      ['MALFORMED_REQUEST', { id: 'b' }, org_id],
      ['RATE_LIMITED', { id: 'd' }, org_id],
    ])
    answerOfAuth = async () => {
      throw invalidToken()
    }
    expect(await statusOf(send('e', '{"n": "one"}', '198.51.100.8', 'unknown'))).toBe(401)
    answerOfAuth = async () => principal({ role: 'viewer' })
    expect(await statusOf(send('f', '{"n": "one"}', '198.51.100.8', 'viewer'))).toBe(403)
    expect(refusals).toHaveLength(3)
  })

  it('a refusal that its route fails to record is answered with that failure', async () => {
    answerOfAuth = async () => principal()
    const headers = { 'content-type': 'application/json', authorization: 'Bearer noted' }
    const response = await ask('/noted/unwritable', { method: 'POST', body: '{}', headers }, from('198.51.100.9'))
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([503, 'UNAVAILABLE'])
  })

  it('a principal is cached for at most five seconds, and a refusal is not cached', async () => {
    answerOfAuth = async () => principal()
    expect((await asCaller('kept')).status).toBe(200)
    answerOfAuth = async () => {
      throw invalidToken()
    }
    clock.advance(4_999)
    expect((await asCaller('kept')).status).toBe(200)
    clock.advance(1)
    expect((await asCaller('kept')).status).toBe(401)
    answerOfAuth = async () => principal()
    expect((await asCaller('kept')).status).toBe(200)
  })

  it('a cached principal expires with its token', async () => {
    const expires_at = new Date(clock.now().getTime() + 1_000).toISOString()
    answerOfAuth = async () => principal({ expires_at })
    expect((await asCaller('expiring')).status).toBe(200)
    clock.advance(1_000)
    expect((await asCaller('expiring')).status).toBe(401)
  })

  it('AU-09 an unavailable auth service is 503 with Retry-After, never an admission or a 401', async () => {
    answerOfAuth = async () => {
      throw new OperatorFetchError('no answer from http://auth-service')
    }
    const response = await asCaller('unasked')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.text()).not.toContain('auth-service')
    answerOfAuth = async () => {
      throw new ServiceError('UNAVAILABLE', 'the database cannot answer now', { retryAfterSeconds: 2 })
    }
    expect((await asCaller('unasked')).headers.get('retry-after')).toBe('2')
  })
})
