import { describe, expect, it } from 'vitest'
import { type AgentPool, chatFromPool } from './agent-pool.ts'
import { type ChatAnswer, type ChatModel, ChatModelError } from './chat-model.ts'

const SPENDER = { orgId: 'org_a', spender: 'check', reference: 'chk_a' } as const
const REQUEST = { messages: [{ role: 'user', text: 'hello' }], maxOutputTokens: 10 } as const
const ANSWER: ChatAnswer = { text: 'hi', toolCalls: [], stopReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 } }

/** A pool of `left` tokens that remembers what each call was booked with. */
function poolOf(left: number): { pool: AgentPool; booked: number[] } {
  const booked: number[] = []
  const pool: AgentPool = {
    reserve: async ({ tokens }) => (tokens > left ? 'exhausted' : { id: 1, tokens }),
    settle: async (_, served) => void booked.push(served),
  }
  return { pool, booked }
}

const modelOf = (call: ChatModel['call']) => ({ mostTokens: () => 100, call })
const signal = new AbortController().signal

describe('MA-08 a call with tokens of the pool', () => {
  it('reserves the most it can cost and is booked with what was served', async () => {
    const { pool, booked } = poolOf(100)
    expect(await chatFromPool({ pool, model: modelOf(async () => ANSWER) }, SPENDER, REQUEST, signal)).toBe(ANSWER)
    expect(booked).toEqual([5])
  })

  it('does not reach the provider when too few tokens are left', async () => {
    const { pool, booked } = poolOf(99)
    const model = modelOf(() => Promise.reject(new Error('called')))
    expect(await chatFromPool({ pool, model }, SPENDER, REQUEST, signal)).toBe('exhausted')
    expect(booked).toEqual([])
  })

  it.each<[string, () => Promise<ChatAnswer>, number]>([
    ['an answer without usage', async () => ({ ...ANSWER, usage: undefined }), 100],
    ['a provider that did no work', () => Promise.reject(failure(false)), 0],
    ['a provider that was cut off', () => Promise.reject(failure(true)), 100],
    ['an abort', () => Promise.reject(new DOMException('gone', 'AbortError')), 100],
  ])('%s is booked with the right number', async (_, call, expected) => {
    const { pool, booked } = poolOf(100)
    await chatFromPool({ pool, model: modelOf(call) }, SPENDER, REQUEST, signal).catch(() => {})
    expect(booked).toEqual([expected])
  })

  it('passes on the failure of the call', async () => {
    const call = chatFromPool(
      { ...poolOf(100), model: modelOf(() => Promise.reject(failure(true))) },
      SPENDER,
      REQUEST,
      signal,
    )
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'The provider failed.' })
  })
})

function failure(mayHaveCost: boolean): ChatModelError {
  return new ChatModelError('UNAVAILABLE', 'The provider failed.', { mayHaveCost })
}
