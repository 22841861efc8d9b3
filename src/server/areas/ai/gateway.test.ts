import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddings, listModels } from '#contract/ai.ts'
import { sql } from '#lib/db/sql.ts'
import { type TestClock, testClock } from '#lib/time/clock.ts'
import { findSecrets } from '#test/canary.ts'
import { type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

const BUILTIN = 'builtin/all-minilm-l6-v2'
const LIMIT = 1000

let fake: FakeEmbeddings
let clock: TestClock
let system: System
let token: string
beforeAll(async () => {
  fake = await startFakeEmbeddings()
  clock = testClock(new Date('2026-03-01T23:00:00Z'))
  const env = {
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('acme'), { ...fake.provider('anyone'), models: undefined }]),
    SVC_GATEWAY_TOKENS_PER_DAY: String(LIMIT),
  }
  system = await startSystem({ env, clock })
  token = (await system.member('viewer')).token
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

/** As OpenAI's clients send it. */
async function post(body: unknown, key = token) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' }
  const response = await fetch(`${system.url}/api/ai/v1/embeddings`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
}

async function used(org_id: string): Promise<number[]> {
  const rows = await system.db.query<{ tokens: number }>(
    sql`select tokens from ai.gateway_usage where org_id = ${org_id} order by day`,
  )
  return rows.map(({ tokens }) => tokens)
}

describe('DS-24 the AI gateway', () => {
  it('lists its models in the shape of OpenAI', async () => {
    const model = { object: 'model', created: 0 }
    expect(await system.client(token).call(listModels, {})).toEqual({
      object: 'list',
      data: [
        { ...model, id: BUILTIN, owned_by: 'builtin', dimensions: 384, capabilities: ['embeddings'] },
        { ...model, id: 'acme/fake-small', owned_by: 'acme', dimensions: 8, capabilities: ['embeddings'] },
      ],
    })
  })

  it('embeds one text or several, with no key and no network', async () => {
    const one = await post({ model: BUILTIN, input: 'hello world' })
    expect(one.status).toBe(200)
    expect(one.body).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: expect.any(Array) }],
      model: BUILTIN,
      usage: { prompt_tokens: 4, total_tokens: 4 },
    })
    const { data } = await system.client(token).call(createEmbeddings, { model: BUILTIN, input: ['x', 'hello world'] })
    expect(data.map(({ index }) => index)).toEqual([0, 1])
    expect(data[1]!.embedding).toEqual(one.body.data[0].embedding)
  })

  it('base64 holds the same numbers, as OpenAI’s clients ask for by default', async () => {
    const input = ['hello', 'world']
    const floats = await post({ model: BUILTIN, input })
    const packed = await post({ model: BUILTIN, input, encoding_format: 'base64', user: 'someone' })
    const unpacked = packed.body.data.map(({ embedding }: { embedding: string }) => {
      const bytes = Buffer.from(embedding, 'base64')
      return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
    })
    expect(unpacked).toEqual(floats.body.data.map(({ embedding }: { embedding: number[] }) => embedding))
  })

  it('passes on to a configured provider, shortened where asked', async () => {
    const { body } = await post({ model: 'acme/fake-small', input: ['one two'] })
    expect(body).toMatchObject({ model: 'acme/fake-small', usage: { prompt_tokens: 2 } })
    expect(body.data[0].embedding).toEqual(fakeVector('one two'))
    const short = await post({ model: 'anyone/fake-small', input: 'one two', dimensions: 3 })
    expect(short.body.data[0].embedding).toEqual(fakeVector('one two', 3))
  })

  const texts = (count: number) => Array.from({ length: count }, () => 'x')
  const NOT_ALL = '; the rest of the input was not checked'
  const wrongInput = 'input: must be a text of 1 to 8192 characters, or a list of 1 to 96 such texts'
  it.each<[string, unknown, number, string, string]>([
    [
      'no such model',
      { model: 'gpt', input: 'x' },
      404,
      'NOT_FOUND',
      'no embedding model of that name; there are builtin/all-minilm-l6-v2, acme/fake-small, anyone/<any of its models>',
    ],
    [
      'no model the provider knows',
      { model: 'anyone/x', input: 'x' },
      404,
      'NOT_FOUND',
      'The AI provider anyone has no model x.',
    ],
    ['an empty text', { model: BUILTIN, input: '' }, 400, 'INVALID_REQUEST', 'input: must have at least 1 character'],
    ['no texts', { model: BUILTIN, input: [] }, 400, 'INVALID_REQUEST', 'input: must have at least 1 entry'],
    ['97 texts', { model: BUILTIN, input: texts(97) }, 400, 'INVALID_REQUEST', `${wrongInput}${NOT_ALL}`],
    [
      'a long text',
      { model: BUILTIN, input: 'x'.repeat(8193) },
      400,
      'INVALID_REQUEST',
      `input: must have at most 8192 characters${NOT_ALL}`,
    ],
    ['token numbers', { model: BUILTIN, input: [1, 2] }, 400, 'INVALID_REQUEST', wrongInput],
    [
      'other dimensions',
      { model: BUILTIN, input: 'x', dimensions: 8 },
      400,
      'INVALID_REQUEST',
      'dimensions: builtin/all-minilm-l6-v2 has 384',
    ],
    ['an unknown key', { model: BUILTIN, input: 'x', foo: 1 }, 400, 'INVALID_REQUEST', 'foo: unknown key'],
    ['no JSON', '{', 400, 'MALFORMED_REQUEST', 'The body is not valid JSON.'],
    [
      'a large body',
      { model: BUILTIN, input: 'x'.repeat(1_100_000) },
      413,
      'PAYLOAD_TOO_LARGE',
      'The body is too large. At most 1048576 bytes are accepted.',
    ],
  ])('%s is refused where OpenAI’s clients look for it', async (_, body, status, code, message) => {
    const answer = await post(body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ status, code, detail: message })
    expect(answer.body.error).toEqual({ message, type: 'invalid_request_error', code })
  })

  it('so is a caller without a token', async () => {
    const { status, body } = await post({ model: BUILTIN, input: 'x' }, 'none')
    expect(status).toBe(401)
    expect(body.error).toEqual({
      message: 'Invalid or expired API token',
      type: 'invalid_request_error',
      code: 'INVALID_TOKEN',
    })
  })

  it('tokens are counted per organization and UTC day; past the limit it is 429 until midnight', async () => {
    const { token: key, org_id } = await system.member('developer')
    const long = { model: BUILTIN, input: 'word '.repeat(400) }
    for (const expected of [256, 512, 768]) {
      expect((await post(long, key)).body.usage).toEqual({ prompt_tokens: 256, total_tokens: 256 })
      expect(await used(org_id)).toEqual([expected])
    }
    const refused = await post(long, key)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(refused.body.error).toEqual({
      message:
        'Too few tokens left: this organization may use 1000 per UTC day. Try again tomorrow, or send less text.',
      type: 'invalid_request_error',
      code: 'RATE_LIMITED',
    })
    expect((await post({ model: BUILTIN, input: 'short' }, key)).status).toBe(200)
    expect(await used(org_id)).toEqual([771])
    expect((await post(long)).status).toBe(200)

    clock.advance(60 * 60_000)
    expect((await post(long, key)).status).toBe(200)
    expect(await used(org_id)).toEqual([771, 256])
    clock.advance(-60 * 60_000)
  })

  it('what fails on our side is not counted', async () => {
    const { token: key, org_id } = await system.member('developer')
    fake.next.push({ status: 502 })
    const { status, headers, body } = await post({ model: 'acme/fake-small', input: 'x' }, key)
    expect([status, headers.get('retry-after')]).toEqual([503, '10'])
    expect(body.error).toEqual({
      message: 'The AI provider acme answered 502.',
      type: 'server_error',
      code: 'UNAVAILABLE',
    })
    expect(await used(org_id)).toEqual([0])
  })

  needs('postgres')('many at once', () => {
    it('the limit is never passed, and nothing that fits is refused', async () => {
      const { token: key, org_id } = await system.member('developer')
      // 1000 tokens hold ten of these; each counts 98 characters and two marks around them.
      const body = { model: 'acme/fake-small', input: 'x'.repeat(98) }
      const usage = { prompt_tokens: 100 }
      fake.next.push(...Array.from({ length: 10 }, () => ({ body: (right: object) => ({ ...right, usage }) })))
      const answers = await Promise.all(Array.from({ length: 30 }, () => post(body, key)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
      expect(await used(org_id)).toEqual([1000])
    })
  })

  it('no text and no key is kept in a table or a log, also when a provider repeats them', async () => {
    const { token: key } = await system.member('developer')
    const canary = 'the merger with Initech is called Bluebird'
    await post({ model: BUILTIN, input: canary }, key)
    fake.next.push({ status: 400 }, { status: 502 }, { body: () => canary }, 'half')
    const input = canary
    for (const expected of [400, 503, 503, 503, 200]) {
      const { status, text } = await post({ model: 'acme/fake-small', input }, key)
      expect(status).toBe(expected)
      expect(text).not.toContain('Bluebird')
    }
    await post({ model: canary, input: canary, [canary]: canary }, key)
    expect(await findSecrets(system.db, system.logs, [canary, fake.apiKey])).toEqual([])
  })
})
