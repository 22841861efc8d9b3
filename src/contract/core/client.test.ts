import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from './client.ts'
import type { CallOptions } from './client-send.ts'
import { ServiceError } from './errors.ts'
import { operation } from './operation.ts'

const open = { access: 'public', effect: 'read', bodyLimit: 1000, summary: 'A test' } as const

const get = operation({
  ...open,
  kind: 'json',
  name: 'test.get',
  method: 'GET',
  path: '/orgs/{org_id}/things/{id}',
  input: z.object({
    org_id: z.string(),
    id: z.string(),
    limit: z.int().optional(),
    deep: z.boolean().optional(),
    tag: z.array(z.string()).optional(),
  }),
  output: z.object({ ok: z.boolean() }),
})

const put = operation({
  ...open,
  kind: 'json',
  name: 'test.put',
  method: 'PUT',
  path: '/things/{id}',
  input: z.object({ id: z.string(), name: z.string() }),
  output: z.object({ ok: z.boolean() }),
})

const follow = operation({
  ...open,
  kind: 'stream',
  name: 'test.follow',
  method: 'GET',
  path: '/follow',
  input: z.object({}),
  event: z.object({ text: z.string() }),
})

type Answer = Response | (() => Response)

/** A client whose network is one answer, and what it was asked. */
function clientOf(answer: Answer, baseUrl = 'https://svc.test') {
  const requests: Request[] = []
  const client = createClient({
    baseUrl,
    headers: () => ({ authorization: 'Bearer t' }),
    fetch: async (request) => {
      requests.push(request)
      return typeof answer === 'function' ? answer() : answer
    },
  })
  return { client, requests }
}

const ok = () => Response.json({ ok: true })
const ids = { org_id: 'org_1', id: 'a' }

async function sent(input: Parameters<typeof clientOf>[1], of: z.input<typeof get.input>): Promise<string> {
  const { client, requests } = clientOf(ok, input)
  await client.call(get, of)
  return requests[0]!.url
}

describe('the request', () => {
  it.each([
    ['fills the path', undefined, ids, 'https://svc.test/orgs/org_1/things/a'],
    [
      'encodes what it fills',
      undefined,
      { org_id: 'a/b', id: '?x#y %é' },
      'https://svc.test/orgs/a%2Fb/things/%3Fx%23y%20%25%C3%A9',
    ],
    [
      'keeps dots that are only part of a name',
      undefined,
      { org_id: 'o', id: '...' },
      'https://svc.test/orgs/o/things/...',
    ],
    [
      'puts the rest into the query',
      undefined,
      { ...ids, limit: 5, deep: false },
      'https://svc.test/orgs/org_1/things/a?limit=5&deep=false',
    ],
    [
      'repeats the key of a list',
      undefined,
      { ...ids, tag: ['a b', 'c&d'] },
      'https://svc.test/orgs/org_1/things/a?tag=a+b&tag=c%26d',
    ],
    ['leaves out what is undefined', undefined, { ...ids, limit: undefined }, 'https://svc.test/orgs/org_1/things/a'],
    ['keeps the path of the base', 'https://svc.test/base/', ids, 'https://svc.test/base/orgs/org_1/things/a'],
  ] as const)('%s', async (_, baseUrl, input, url) => {
    expect(await sent(baseUrl, input as z.input<typeof get.input>)).toBe(url)
  })

  it.each(['', '.', '..'])('the id %j never leaves: its URL would be another operation', async (id) => {
    const { client, requests } = clientOf(ok)
    await expect(client.call(get, { org_id: 'o', id })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(requests).toEqual([])
  })

  it('sends a body as JSON, without what the path already says', async () => {
    const { client, requests } = clientOf(ok)
    await client.call(put, { id: 'a', name: 'n' })
    const [request] = requests
    expect(request!.method).toBe('PUT')
    expect(request!.headers.get('content-type')).toBe('application/json')
    expect(await request!.json()).toEqual({ name: 'n' })
  })

  it('carries the headers of the client and of the call', async () => {
    const { client, requests } = clientOf(ok)
    const options: CallOptions = { headers: { 'x-svc-client': 'cli' }, idempotencyKey: 'k1' }
    await client.call(put, { id: 'a', name: 'n' }, options)
    const { headers } = requests[0]!
    expect(Object.fromEntries(headers)).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer t',
      'x-svc-client': 'cli',
      'idempotency-key': 'k1',
    })
  })

  it('is cancelled by its signal', async () => {
    const { client, requests } = clientOf(ok)
    const abort = new AbortController()
    await client.call(get, ids, { signal: abort.signal })
    abort.abort()
    expect(requests[0]!.signal.aborted).toBe(true)
  })
})

describe('the answer', () => {
  it('passes the output schema: keys of a newer server are dropped', async () => {
    const { client } = clientOf(Response.json({ ok: true, newer: 1 }))
    expect(await client.call(get, ids)).toEqual({ ok: true })
  })

  it('CO-06 a client that trusts its service needs no schema for answers and events', async () => {
    const { output: _output, ...address } = get
    const { event: _event, ...followed } = follow
    const trusting = (body: string) =>
      createClient({ baseUrl: 'https://svc.test', trustsAnswers: true, fetch: async () => new Response(body) })
    expect(await trusting('{"ok":true,"newer":1}').call(address as typeof get, ids)).toEqual({ ok: true, newer: 1 })
    const events = await Array.fromAsync(trusting('{"text":"a","newer":1}\n').stream(followed as typeof follow, {}))
    expect(events).toEqual([{ text: 'a', newer: 1 }])
  })

  it('a problem is thrown as the refusal it was', async () => {
    const errors = [{ path: 'name', message: 'too long' }]
    const problem = new ServiceError('RATE_LIMITED', 'at most 5; wait', { errors }).toProblem('req_1')
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '12' }
    const { client } = clientOf(Response.json(problem, { status: 429, headers }))
    const error = await client.call(get, ids).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ code: 'RATE_LIMITED', message: 'at most 5; wait', errors, retryAfterSeconds: 12 })
  })

  it.each([
    ['a page of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502 }), 'UNAVAILABLE'],
    ['broken JSON', new Response('{', { status: 404, headers: { 'content-type': 'application/json' } }), 'NOT_FOUND'],
    ['JSON that is null', Response.json(null, { status: 403 }), 'FORBIDDEN'],
    ['JSON that is a list', Response.json([1], { status: 409 }), 'CONFLICT'],
    ['no body', new Response(null, { status: 504 }), 'TIMEOUT'],
  ])('a refusal with %s is known by its status', async (_, response, code) => {
    const { client } = clientOf(response)
    await expect(client.call(get, ids)).rejects.toMatchObject({ name: 'ServiceError', code })
  })

  it('a date in Retry-After is no number of seconds', async () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }
    const { client } = clientOf(new Response(null, { status: 503, headers }))
    await expect(client.call(get, ids)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: undefined })
  })

  it('a good answer that is not JSON is not from this service', async () => {
    const { client } = clientOf(new Response('<html>welcome to the hotel network</html>'))
    await expect(client.call(get, ids)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

/** The bytes of `text`, cut after every `size` of them, in the middle of characters too. */
function chunked(text: string, size: number): Response {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  return new Response(body)
}

async function textsOf(response: Response): Promise<string[]> {
  const { client } = clientOf(response)
  const texts: string[] = []
  for await (const { text } of client.stream(follow, {})) texts.push(text)
  return texts
}

describe('a stream', () => {
  const texts = ['one', 'zwei €', '三 \u2028 😀', 'a\nb']
  const lines = texts.map((text) => `${JSON.stringify({ text })}\n`).join('')

  it.each([1, 2, 3, 5, 7, 16, 10_000])('gives each event whole when chunks have %d bytes', async (size) => {
    expect(await textsOf(chunked(lines, size))).toEqual(texts)
  })

  it('asks for NDJSON', async () => {
    const { client, requests } = clientOf(chunked(lines, 10))
    await client.stream(follow, {}).next()
    expect(requests[0]!.headers.get('accept')).toBe('application/x-ndjson')
  })

  it('skips empty lines, and takes a last one without its end', async () => {
    expect(await textsOf(chunked('\n{"text":"a"}\n\n\n{"text":"b"}', 4))).toEqual(['a', 'b'])
  })

  it('an empty answer has no events', async () => {
    expect(await textsOf(new Response(null))).toEqual([])
  })

  it('a problem in its middle is thrown after the events before it', async () => {
    const problem = new ServiceError('TIMEOUT', 'the run took too long').toProblem()
    const { client } = clientOf(chunked(`{"text":"a"}\n${JSON.stringify({ problem })}\n`, 9))
    const events = client.stream(follow, {})
    expect(await events.next()).toEqual({ done: false, value: { text: 'a' } })
    await expect(events.next()).rejects.toMatchObject({ code: 'TIMEOUT', message: 'the run took too long' })
  })

  it.each(['{"text":"a"}\n{"te', '<html>'])('%j cannot be read and is UNAVAILABLE', async (body) => {
    await expect(textsOf(chunked(body, 100))).rejects.toMatchObject({ name: 'ServiceError', code: 'UNAVAILABLE' })
  })

  it('a refusal before the first event is thrown like any other', async () => {
    const problem = new ServiceError('FORBIDDEN', 'no').toProblem()
    await expect(textsOf(Response.json(problem, { status: 403 }))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('whoever stops listening frees the connection', async () => {
    let cancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('{"text":"a"}\n')),
      cancel: () => {
        cancelled = true
      },
    })
    const { client } = clientOf(new Response(endless))
    for await (const _ of client.stream(follow, {})) break
    expect(cancelled).toBe(true)
  })
})
