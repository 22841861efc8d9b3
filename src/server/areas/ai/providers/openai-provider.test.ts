import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { type Behaviour, type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { createOpenAiProvider } from './openai-provider.ts'

const going = new AbortController().signal
const ASK = { model: 'fake-small', texts: ['one canary', 'two'], dimensions: 8, shortened: false }
const RIGHT = { vectors: ASK.texts.map((text) => Float32Array.from(fakeVector(text))), tokens: 3 }

let fake: FakeEmbeddings
let stack: AsyncDisposableStack
let waits: number[]
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  fake = stack.use(await startFakeEmbeddings())
  waits = []
})
afterEach(() => stack.disposeAsync())

function provider(over: { apiKey?: string; timeoutMs?: number } = {}) {
  const { timeoutMs, ...settings } = over
  return createOpenAiProvider(
    { name: 'acme', baseUrl: fake.baseUrl, apiKey: fake.apiKey, ...settings },
    {
      outgoing: stack.use(createOperatorFetch()),
      delay: async (ms) => void waits.push(ms),
      ...(timeoutMs && { timeoutMs }),
    },
  )
}

async function refusal(next: Behaviour[], ask: Partial<typeof ASK> = {}): Promise<{ code: string; message: string }> {
  fake.next.push(...next)
  const error: unknown = await provider()({ ...ASK, ...ask }, going).catch((thrown: unknown) => thrown)
  if (!(error instanceof Error) || !('code' in error)) throw error
  const visibleText = [error.message, JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause ?? {}))].join()
  expect(visibleText).not.toMatch(/canary|sk-/)
  return { code: String(error.code), message: error.message }
}

describe('DS-24 a provider that speaks the protocol of OpenAI', () => {
  it('gives a vector for each text, and counts their tokens', async () => {
    expect(await provider()(ASK, going)).toEqual(RIGHT)
    expect(fake.asked).toEqual([
      { authorization: `Bearer ${fake.apiKey}`, body: { model: 'fake-small', input: ['one canary', 'two'] } },
    ])
  })

  it('is asked for shorter vectors only where the caller wants them', async () => {
    const { vectors } = await provider()({ ...ASK, dimensions: 3, shortened: true }, going)
    expect(vectors.map(({ length }) => length)).toEqual([3, 3])
    expect(fake.asked[0]!.body.dimensions).toBe(3)
  })

  it('may answer in any order, and without usage', async () => {
    fake.next.push({ body: ({ data }) => ({ data: data.toReversed() }) })
    expect(await provider()(ASK, going)).toEqual({ ...RIGHT, tokens: 4 })
  })

  it.each<[string, Behaviour[], number[]]>([
    ['500', [{ status: 500 }], [500]],
    ['503 twice', [{ status: 503 }, { status: 503 }], [500, 1000]],
    ['429', [{ status: 429 }], [500]],
    ['429 with Retry-After', [{ status: 429, headers: { 'retry-after': '7' } }], [7000]],
  ])('is asked again after %s', async (_, next, expected) => {
    fake.next.push(...next)
    expect(await provider()(ASK, going)).toEqual(RIGHT)
    expect(waits).toEqual(expected)
  })

  it.each<[string, Behaviour[], Partial<typeof ASK>, { code: string; message: string }, number]>([
    [
      '500 three times',
      [{ status: 500 }, { status: 500 }, { status: 500 }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme answered 500.' },
      3,
    ],
    [
      '429 that lasts longer than we wait',
      [{ status: 429, headers: { 'retry-after': '11' } }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme is limiting requests.' },
      1,
    ],
    ['502', [{ status: 502 }], {}, { code: 'UNAVAILABLE', message: 'The AI provider acme answered 502.' }, 1],
    ['302', [{ status: 302 }], {}, { code: 'UNAVAILABLE', message: 'The AI provider acme answered 302.' }, 1],
    [
      '400',
      [{ status: 400 }],
      {},
      { code: 'INVALID_REQUEST', message: 'The AI provider acme rejected this input.' },
      1,
    ],
    ['404', [], { model: 'none' }, { code: 'NOT_FOUND', message: 'The AI provider acme has no model none.' }, 1],
    [
      'too few vectors',
      [{ body: ({ data }) => ({ data: data.slice(1) }) }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent 1 vectors for 2 texts.' },
      1,
    ],
    [
      'one vector twice',
      [{ body: ({ data }) => ({ data: [data[0], data[0]] }) }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent no vector for some of the texts.' },
      1,
    ],
    [
      'an index out of range',
      [{ body: ({ data }) => ({ data: [data[0], { ...data[1], index: -1 }] }) }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent no vector for some of the texts.' },
      1,
    ],
    [
      'other dimensions',
      [],
      { dimensions: 9 },
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent 8 dimensions, not 9.' },
      1,
    ],
    [
      'numbers too large',
      [{ body: ({ data }) => ({ data: data.map((one) => ({ ...one, embedding: one.embedding.fill(1e300) })) }) }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent numbers out of range.' },
      1,
    ],
    [
      'garbage',
      [{ body: () => '<html>you sent one canary</html>' }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent an answer that cannot be read.' },
      1,
    ],
    [
      'text for numbers',
      [{ body: () => ({ data: [{ embedding: ['one canary'] }, { embedding: ['two'] }] }) }],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme sent an answer that cannot be read.' },
      1,
    ],
    [
      'half an answer',
      ['half'],
      {},
      { code: 'UNAVAILABLE', message: 'The AI provider acme closed the connection before it had answered.' },
      1,
    ],
  ])('%s is refused without its words, ours or the key', async (_, next, ask, expected, asked) => {
    expect(await refusal(next, ask)).toEqual(expected)
    expect(fake.asked).toHaveLength(asked)
  })

  it('a wrong provider key is reported as such, not as the caller’s token', async () => {
    const wrong = provider({ apiKey: 'sk-wrong' })
    await expect(wrong(ASK, going)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The AI provider acme refused its API key.',
    })
  })

  it('an unreachable provider is tried three times', async () => {
    await fake[Symbol.asyncDispose]()
    expect(await refusal([])).toEqual({ code: 'UNAVAILABLE', message: 'The AI provider acme cannot be reached.' })
    expect(waits).toEqual([500, 1000])
  })

  it('a provider that does not answer is tried once, because it may have done the work', async () => {
    fake.next.push('silent')
    await expect(provider({ timeoutMs: 100 })(ASK, going)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'The AI provider acme did not answer in 0.1 seconds.',
    })
    expect(fake.asked.length).toBeLessThanOrEqual(1)
  })

  it('a caller’s abort ends the request', async () => {
    const leaving = new AbortController()
    const asked = provider()(ASK, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(asked).rejects.toThrow('left')
  })
})
