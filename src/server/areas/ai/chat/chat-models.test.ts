import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createOperatorFetch, type OperatorFetch } from '#lib/net/operator-fetch.ts'
import { ChatModelError, type ChatRequest } from '#ports/chat-model.ts'
import { type FakeChat, type FakeReply, startFakeChat } from '#test/outside/fake-chat.ts'
import { until } from '#test/until.ts'
import type { ProviderSettings } from '../providers/provider.ts'
import { createChatModels } from './chat-models.ts'
import type { CallLimits } from './provider-stream.ts'

const REQUEST: ChatRequest = { messages: [{ role: 'user', text: 'a canary' }], maxOutputTokens: 100 }
const KINDS = ['openai', 'anthropic'] as const
const going = new AbortController().signal

let fake: FakeChat
let outgoing: OperatorFetch
let waits: number[]
beforeAll(async () => {
  fake = await startFakeChat()
  outgoing = createOperatorFetch({ headersTimeoutMs: 0, bodyTimeoutMs: 0 })
})
beforeEach(() => {
  waits = []
  fake.asked.length = 0
  fake.next.length = 0
})
afterAll(async () => {
  await outgoing?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

type Over = Partial<ProviderSettings> & { limits?: Partial<CallLimits> }

function modelsOf(kind: ProviderSettings['kind'], { limits, ...over }: Over = {}) {
  const { baseUrl, apiKey } = fake
  const settings = {
    name: 'acme',
    baseUrl,
    apiKey,
    kind,
    models: undefined,
    outputLimitKey: 'max_tokens',
    ...over,
  } as const
  const delay = async (ms: number) => void waits.push(ms)
  return createChatModels([settings], { outgoing, delay, ...(limits && { limits }) })
}
const modelOf = (kind: ProviderSettings['kind'], over?: Over, name = 'acme/m') => modelsOf(kind, over).find(name)!

describe.each(KINDS)('MA-14 a chat model of the kind %s', (kind) => {
  it('answers with text and usage', async () => {
    expect(await modelOf(kind).call(REQUEST, going)).toEqual({
      text: 'Hello there, friend.',
      toolCalls: [],
      stopReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
    })
    expect(fake.asked.map((asked) => asked.kind)).toEqual([kind])
  })

  it('answers with tool calls', async () => {
    const calls = [
      { id: 'c1', name: 'look', arguments: '{"at":1,"far":true}' },
      { id: 'c2', name: 'go', arguments: '{}' },
    ]
    fake.next.push({ text: 'Wait.', toolCalls: calls })
    const tools = [{ name: 'look', parameters: { type: 'object' } }]
    expect(await modelOf(kind).call({ ...REQUEST, tools }, going)).toMatchObject({
      text: 'Wait.',
      toolCalls: calls,
      stopReason: 'tool_calls',
    })
  })

  it('can cost one token for each byte of the request and the output limit', async () => {
    const model = modelOf(kind)
    await model.call(REQUEST, going)
    const bytes = Number(fake.asked[0]!.headers['content-length'] ?? JSON.stringify(fake.asked[0]!.body).length)
    expect(model.mostTokens(REQUEST)).toBe(bytes + 100)
    const long = { ...REQUEST, messages: [{ role: 'user', text: 'a canary😀' }], maxOutputTokens: 101 } as const
    expect(model.mostTokens(long)).toBe(bytes + 101 + 4)
  })

  it('has no usage where the provider reports none', async () => {
    fake.next.push(kind === 'openai' ? { usage: null } : { sse: withoutUsage() })
    expect(await modelOf(kind).call(REQUEST, going)).toMatchObject({ usage: undefined })
  })

  it.each<[string, FakeReply[], Over, { code: string; message: string; mayHaveCost: boolean }, number]>([
    ['400', [{ status: 400 }], {}, failure('INVALID_REQUEST', 'rejected this input', false), 1],
    ['a wrong key', [], { apiKey: 'sk-other' }, failure('UNAVAILABLE', 'refused its API key', false), 1],
    ['429 three times', thrice({ status: 429 }), {}, failure('UNAVAILABLE', 'is limiting requests', false), 3],
    ['529 three times', thrice({ status: 529 }), {}, failure('UNAVAILABLE', 'answered 529', false), 3],
    ['502', [{ status: 502 }], {}, failure('UNAVAILABLE', 'answered 502', false), 1],
    ['no server', [], { baseUrl: 'http://127.0.0.1:3' }, failure('UNAVAILABLE', 'cannot be reached', false), 0],
    [
      'half an answer',
      ['cut'],
      {},
      failure('UNAVAILABLE', 'closed the connection before its answer was complete', true),
      1,
    ],
    [
      'an answer without end',
      [{ sse: ': ping\n\n' }],
      {},
      failure('UNAVAILABLE', 'closed the connection before its answer was complete', true),
      1,
    ],
    [
      'something else',
      [{ sse: 'data: canary\n\n' }],
      {},
      failure('UNAVAILABLE', 'sent an answer that cannot be read', true),
      1,
    ],
    [
      'more than fits',
      [{ sse: `data: ${'x'.repeat(2000)}\n\n` }],
      { limits: { maxAnswerLength: 1000 } },
      failure('UNAVAILABLE', 'sent an answer that is too large', true),
      1,
    ],
  ])('%s is a failure that says whether it may have cost', async (_, next, over, expected, asked) => {
    fake.next.push(...next)
    const error: unknown = await modelOf(kind, over)
      .call(REQUEST, going)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ChatModelError)
    expect(error).toMatchObject(expected)
    const { message, cause } = error as ChatModelError
    expect(`${message} ${JSON.stringify(cause, Object.getOwnPropertyNames(cause ?? {}))}`).not.toMatch(/canary|sk-/)
    expect(fake.asked).toHaveLength(asked)
  })

  it.each<[string, FakeReply, Partial<CallLimits>, string]>([
    ['no answer', 'silent', { silenceMs: 50 }, 'sent nothing for 0.05 seconds'],
    ['an answer that stops', { pause: new Promise(() => {}) }, { silenceMs: 50 }, 'sent nothing for 0.05 seconds'],
    [
      'an answer that takes too long',
      { pause: new Promise(() => {}) },
      { wholeMs: 60 },
      'did not end its answer in 0.001 minutes',
    ],
  ])('%s is a failure that may have cost', async (_, reply, limits, message) => {
    // The limits run from the call on. Time stands still until the request has arrived, however busy the machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    fake.next.push(reply)
    const error = expect(modelOf(kind, { limits }).call(REQUEST, going)).rejects.toMatchObject(
      failure('TIMEOUT', message, true),
    )
    await until(() => fake.asked.length === 1)
    vi.advanceTimersByTime(60)
    await error
  })

  it('an unknown model of the provider is not found', async () => {
    const call = modelOf(kind, {}, 'acme/none').call(REQUEST, going)
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'The AI provider acme has no model none.' })
  })

  it('is asked again after a refusal that did no work', async () => {
    fake.next.push({ status: 503 }, { status: 429, headers: { 'retry-after': '7' } })
    expect(await modelOf(kind).call(REQUEST, going)).toMatchObject({ stopReason: 'stop' })
    expect(waits).toEqual([500, 7000])
  })

  it.each<[string, FakeReply]>([
    ['before it answers', 'silent'],
    ['in the middle of its answer', { pause: new Promise(() => {}) }],
  ])('the call at the provider ends when the caller aborts %s', async (_, reply) => {
    fake.next.push(reply)
    const before = fake.left()
    const aborting = new AbortController()
    const call = modelOf(kind).call(REQUEST, aborting.signal)
    await until(() => fake.asked.length === 1)
    aborting.abort(new Error('the caller left'))
    await expect(call).rejects.toThrow('the caller left')
    await until(() => fake.left() === before + 1)
  })

  it('the call at the provider ends when the reader of its stream leaves', async () => {
    fake.next.push({ pause: new Promise(() => {}) })
    const before = fake.left()
    for await (const event of modelOf(kind).stream(REQUEST, going)) {
      expect(event).toEqual({ type: 'text', text: 'Hello ' })
      break
    }
    await until(() => fake.left() === before + 1)
  })

  it('that cannot call tools refuses them before the provider is asked', async () => {
    const models = [{ name: 'm', dimensions: undefined, chat: true, tools: false }]
    const tools = [{ name: 'look', parameters: {} }]
    const refusal = { code: 'INVALID_REQUEST', message: 'tools: the model acme/m cannot call tools' }
    await expect(modelOf(kind, { models }).call({ ...REQUEST, tools }, going)).rejects.toMatchObject(refusal)
    expect(fake.asked).toEqual([])
  })
})

describe('MA-14 the chat models', () => {
  const models = [
    { name: 'talk', dimensions: undefined, chat: true, tools: true },
    { name: 'plain', dimensions: undefined, chat: true, tools: false },
    { name: 'vectors', dimensions: 8, chat: false, tools: false },
  ]

  it('are those of the configuration that can chat', () => {
    const listed = modelsOf('openai', { models })
    expect(listed.list()).toEqual([
      { name: 'acme/talk', tools: true },
      { name: 'acme/plain', tools: false },
    ])
    expect(listed.openProviders).toEqual([])
    const names = ['acme/talk', 'acme/vectors', 'acme/other', 'other/talk', 'talk', 'acme/', '']
    expect(names.map((name) => listed.find(name)?.name)).toEqual(['acme/talk', ...Array(6).fill(undefined)])
  })

  it('are all of a provider that lists none', () => {
    const open = modelsOf('anthropic')
    expect([open.list(), open.openProviders]).toEqual([[], ['acme']])
    expect(['acme/a/b:c', 'acme/', 'acme/a b', 'acme/a?b'].map((name) => open.find(name)?.name)).toEqual([
      'acme/a/b:c',
      undefined,
      undefined,
      undefined,
    ])
  })
})

function thrice(reply: FakeReply): FakeReply[] {
  return [reply, reply, reply]
}

function failure(code: string, what: string, mayHaveCost: boolean) {
  return { code, message: `The AI provider acme ${what}.`, mayHaveCost }
}

function withoutUsage(): string {
  const events = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}
