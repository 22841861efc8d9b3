import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import type { CallTool } from '#edge/mcp/tools.ts'
import { RequestContext } from '#edge/route/route.ts'
import { inboxResource } from './inbox-resource.ts'

const ID = 'ntf_01jd8y0v7wf9hbq7s7x2e3m4n5'
const INFO = { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'mcp', direct: false } as const

describe('NO-16 a subscription without news', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function open() {
    const inputs: unknown[] = []
    const state = { isRevoked: false, isWatching: false }
    const call: CallTool = async (_, input) => {
      inputs.push(input)
      if (state.isRevoked) throw new ServiceError('INVALID_TOKEN', 'revoked')
      return { items: [], next_cursor: null }
    }
    const watchInbox = async () => {
      state.isWatching = true
      const end = async () => {
        state.isWatching = false
      }
      return { [Symbol.asyncDispose]: end }
    }
    const context = new RequestContext(INFO, null, new Request('http://test/mcp/notifications'), 'json')
    const follow = (signal = new AbortController().signal) =>
      inboxResource({ call, watchInbox }).follow(`svc://notifications?since=${ID}`, context, signal)
    return { inputs, state, follow }
  }

  it('asks again every 30 seconds, and ends when the approval is taken back', async () => {
    const { inputs, state, follow } = open()
    const { updates } = await follow()
    const next = updates[Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60_000)
    const page = { since: ID, limit: 50 }
    expect(inputs).toEqual([{ since: ID, limit: 1 }, page, page, page])
    state.isRevoked = true
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await next).toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('ends when its reader goes away, and watches the inbox no longer', async () => {
    const { state, follow } = open()
    const ending = new AbortController()
    const followed = await follow(ending.signal)
    const next = followed.updates[Symbol.asyncIterator]().next()
    ending.abort()
    expect((await next).done).toBe(true)
    await followed[Symbol.asyncDispose]()
    expect(state.isWatching).toBe(false)
  })

  it('a caller who is refused gets none, and the inbox is not watched', async () => {
    const { state, follow } = open()
    state.isRevoked = true
    await expect(follow()).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(state.isWatching).toBe(false)
  })
})
