import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listModels } from '#contract/ai.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { findSecrets } from '#test/canary.ts'
import { type FakeChat, type FakeReply, startFakeChat } from '#test/outside/fake-chat.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const LIMIT = 10_000
const clock = testClock(new Date('2026-03-01T23:00:00Z'))

let fake: FakeChat
let env: Record<string, string>
let system: System
let token: string
let org: string
beforeAll(async () => {
  fake = await startFakeChat()
  const models = [{ name: 'talk' }, { name: 'plain', tools: false }, { name: 'both', dimensions: 8, chat: true }]
  const providers = [fake.provider('acme', 'openai', models), fake.provider('claude', 'anthropic')]
  env = { SVC_AI_PROVIDERS: JSON.stringify(providers), SVC_GATEWAY_TOKENS_PER_DAY: String(LIMIT) }
  system = await startSystem({ env, clock })
})
beforeEach(async () => {
  fake.asked.length = 0
  fake.next.length = 0
  const member = await system.member('viewer')
  token = member.token
  org = member.org_id
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const QUESTION = { model: 'acme/talk', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 }
/** The 134 bytes that are sent to the provider for the question, and its output limit. */
const MAX_COST_TOKENS = 234

function send(body: object, signal?: AbortSignal, url = system.url): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) }
  return fetch(`${url}/api/ai/v1/chat/completions`, init)
}

async function post(body: object, url?: string) {
  const response = await send(body, undefined, url)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** Returns the data of each event, parsed but for the mark at the end. */
async function stream(body: object) {
  const response = await send({ ...body, stream: true })
  const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '))
  return {
    type: response.headers.get('content-type'),
    data: events.map((event) => (event === 'data: [DONE]' ? '[DONE]' : JSON.parse(event.slice(6)))),
  }
}

async function used(): Promise<number[]> {
  const rows = await system.db.query<{ tokens: number }>(
    sql`select tokens from ai.gateway_usage where org_id = ${org} order by day`,
  )
  return rows.map(({ tokens }) => tokens)
}

describe('DS-24 chat completions', () => {
  it('models are listed with what they can do', async () => {
    const { data } = await system.client(token).call(listModels, {})
    expect(data.map(({ id, dimensions, capabilities }) => [id, dimensions, capabilities])).toEqual([
      ['builtin/all-minilm-l6-v2', 384, ['embeddings']],
      ['acme/both', 8, ['embeddings', 'chat', 'tools']],
      ['acme/talk', null, ['chat', 'tools']],
      ['acme/plain', null, ['chat']],
    ])
  })

  it.each(['acme/talk', 'claude/any'])('%s answers a conversation', async (model) => {
    const { status, body } = await post({ ...QUESTION, model })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: 1772406000,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello there, friend.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    expect(await used()).toEqual([15])
  })

  it.each(['acme/talk', 'claude/any'])('%s answers as a stream', async (model) => {
    const { type, data } = await stream({ ...QUESTION, model, stream_options: { include_usage: true } })
    expect(type).toBe('text/event-stream')
    expect(data.map((chunk) => chunk.choices?.[0]?.delta.content)).toEqual([
      '',
      'Hello ',
      'there, ',
      'friend.',
      undefined,
      undefined,
      undefined,
    ])
    expect(data.at(-3)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: null })
    expect(data.at(-2)).toMatchObject({
      object: 'chat.completion.chunk',
      model,
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    expect(data.at(-1)).toBe('[DONE]')
    expect(await used()).toEqual([15])
  })

  it.each(['acme/talk', 'claude/any'])('%s calls tools and gets their results', async (model) => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const toolCalls = [{ id: 'c1', name: 'look', arguments: '{"at":1,"far":2}' }]
    fake.next.push({ toolCalls })
    const first = await post({ ...QUESTION, model, tools })
    const { message, finish_reason } = first.body.choices[0]
    expect(finish_reason).toBe('tool_calls')
    expect(message.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1,"far":2}' } },
    ])
    const messages = [...QUESTION.messages, message, { role: 'tool', tool_call_id: 'c1', content: 'a tree' }]
    expect((await post({ ...QUESTION, model, tools, messages })).status).toBe(200)
    expect(JSON.stringify(fake.asked[1]!.body.messages)).toContain('a tree')
    fake.next.push({ toolCalls })
    const { data } = await stream({ ...QUESTION, model, tools })
    const parts = data.flatMap((chunk) => chunk.choices?.[0]?.delta.tool_calls ?? [])
    expect(parts.map(({ function: call }: { function: { arguments: string } }) => call.arguments).join('')).toBe(
      '{"at":1,"far":2}',
    )
  })

  it('a schema is kept by both kinds, and the answer is JSON', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } }
    const response_format = { type: 'json_schema', json_schema: { name: 'verdict', schema } }
    fake.next.push({ text: '{"ok":true}' }, { toolCalls: [{ id: 'c1', name: 'verdict', arguments: '{"ok":true}' }] })
    for (const model of ['acme/talk', 'claude/any']) {
      const { body } = await post({ ...QUESTION, model, response_format })
      expect(body.choices[0].message).toEqual({ role: 'assistant', content: '{"ok":true}', refusal: null })
      expect(body.choices[0].finish_reason).toBe('stop')
    }
  })

  it.each<[string, object, number, string, string]>([
    [
      'no such model',
      { model: 'gpt' },
      404,
      'NOT_FOUND',
      'There is no chat model of that name. There are acme/talk, acme/plain, acme/both, claude/<any of its models>.',
    ],
    [
      'a model that cannot chat',
      { model: 'builtin/all-minilm-l6-v2' },
      404,
      'NOT_FOUND',
      'There is no chat model of that name. There are acme/talk, acme/plain, acme/both, claude/<any of its models>.',
    ],
    [
      'no model the provider knows',
      { model: 'claude/none' },
      404,
      'NOT_FOUND',
      'The AI provider claude has no model none.',
    ],
    [
      'tools for a model without',
      { model: 'acme/plain', tools: [{ type: 'function', function: { name: 'look' } }] },
      400,
      'INVALID_REQUEST',
      'tools: the model acme/plain cannot call tools',
    ],
    ['no messages', { messages: [] }, 400, 'INVALID_REQUEST', 'messages: must have at least 1 entry'],
    ['two answers', { n: 2 }, 400, 'INVALID_REQUEST', 'n: must be 1: one call gives one answer'],
    ['an unknown key', { logit_bias: {} }, 400, 'INVALID_REQUEST', 'logit_bias: unknown key'],
    [
      'a tool of a bad name',
      { tools: [{ type: 'function', function: { name: 'a b' } }] },
      400,
      'INVALID_REQUEST',
      'tools.0.function.name: must be 1 to 64 letters, digits, dashes and underscores',
    ],
  ])('%s is refused where OpenAI’s clients look for it, streamed or not', async (_, over, status, code, message) => {
    for (const isStreamed of [false, true]) {
      const answer = await post({ ...QUESTION, ...over, stream: isStreamed })
      expect(answer.status).toBe(status)
      expect(answer.body.error).toEqual({ message, type: 'invalid_request_error', code })
    }
    expect([[], [0]]).toContainEqual(await used())
  })

  it('a large body is refused', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(4 * 1024 * 1024) }]
    expect(await post({ ...QUESTION, messages })).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
  })

  it.each<[string, FakeReply, number, number]>([
    ['a refusal of the provider costs nothing', { status: 502 }, 503, 0],
    ['an answer that is cut off costs all that it could', 'cut', 503, MAX_COST_TOKENS],
    ['an answer without usage costs all that it could', { usage: null }, 200, MAX_COST_TOKENS],
    ['a provider that serves more is counted in full', { usage: { input: 9000, output: 9000 } }, 200, 18_000],
  ])('%s', async (_, reply, status, tokens) => {
    fake.next.push(reply)
    expect((await post(QUESTION)).status).toBe(status)
    expect(await used()).toEqual([tokens])
  })

  it('an answer that fails after its status ends with an error that OpenAI’s clients throw', async () => {
    fake.next.push('cut')
    const { data } = await stream(QUESTION)
    expect(data.at(-1)).toEqual({
      error: {
        message: 'The AI provider acme closed the connection before its answer was complete.',
        type: 'server_error',
        code: 'UNAVAILABLE',
      },
    })
    expect(await used()).toEqual([MAX_COST_TOKENS])
  })

  it('past the limit of the organization it is 429 until midnight, and the provider is not asked', async () => {
    const refused = await post({ ...QUESTION, max_tokens: LIMIT })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(refused.body.error.code).toBe('RATE_LIMITED')
    expect(fake.asked).toEqual([])
    expect(await used()).toEqual([])
  })

  it.each([false, true])(
    'the provider is told when the client goes away (stream: %s), and the call is counted',
    async (isStreamed) => {
      const before = fake.left()
      fake.next.push({ pause: new Promise(() => {}) })
      const leaving = new AbortController()
      const answered = send({ ...QUESTION, stream: isStreamed }, leaving.signal)
      answered.catch(() => {})
      await until(() => fake.asked.length === 1)
      if (isStreamed) await (await answered).body!.getReader().read()
      leaving.abort()
      await until(() => fake.left() === before + 1)
      expect(await used()).toEqual([MAX_COST_TOKENS])
    },
  )

  it('no text and no key is kept in a table or a log, also when a provider repeats them', async () => {
    const canary = 'the merger with Initech is called Bluebird'
    const messages = [{ role: 'user', content: canary }]
    fake.next.push(
      { status: 400 },
      { sse: `data: ${canary}\n\n` },
      { sse: `data: {"error":"${canary}"}\n\n` },
      { text: canary },
    )
    for (const expected of [400, 503, 503]) {
      const { status, text } = await post({ ...QUESTION, messages })
      expect(status).toBe(expected)
      expect(text).not.toContain('Bluebird')
    }
    expect((await post({ ...QUESTION, messages })).status).toBe(200)
    fake.next.push({ sse: `data: ${canary}\n\n` })
    expect(JSON.stringify(await stream({ ...QUESTION, messages }))).not.toContain('Bluebird')
    expect(await findSecrets(system.db, system.logs, [canary, fake.apiKey])).toEqual([])
  })

  needs('postgres')('many at once', () => {
    it('never pass the limit at two gateways, and nothing that fits is refused', async () => {
      await using other = await startSystem({ env, clock, on: system })
      const body = { ...QUESTION, max_tokens: 1000 - 134 }
      fake.next.push(...Array.from({ length: 10 }, (): FakeReply => ({ usage: { input: 500, output: 500 } })))
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => post(body, i % 2 === 0 ? system.url : other.url)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(await used()).toEqual([LIMIT])
    })
  })
})
