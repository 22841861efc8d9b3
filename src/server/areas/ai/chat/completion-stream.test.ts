import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { completionStream } from './completion-stream.ts'
import type { ChatEvent } from './events.ts'

const HELLO: ChatEvent[] = [
  { type: 'text', text: 'Hello ' },
  { type: 'text', text: 'there.' },
  { type: 'end', stopReason: 'stop', usage: undefined },
]

/** Opens the stream of an answer whose events wait for `next`, if it is given. */
function open(events: readonly ChatEvent[], next: () => Promise<void> = async () => {}) {
  const calls = { asked: 0, aborted: false, ended: false }
  const aborting = Promise.withResolvers<never>()
  aborting.promise.catch(() => {})
  async function* source(): AsyncGenerator<ChatEvent> {
    try {
      for (const event of events) {
        calls.asked++
        await Promise.race([next(), aborting.promise])
        yield event
      }
    } finally {
      calls.ended = true
    }
  }
  const abort = () => {
    calls.aborted = true
    aborting.reject(new Error('aborted'))
  }
  const openStreams = new OpenStreams()
  const rest = source()
  const faults: string[] = []
  const head = { id: 'chatcmpl-1', created: 1, model: 'acme/m' }
  const body = completionStream(
    { first: rest.next(), rest },
    { head, includeUsage: false, abort, openStreams, onFault: ({ message }) => faults.push(message) },
  )
  return { body, calls, openStreams, faults }
}

const never = () => new Promise<void>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('DS-24 a streamed answer', () => {
  it('ends with a mark, after the call at the provider has ended', async () => {
    const { body, calls } = open(HELLO)
    const text = await new Response(body).text()
    expect(text.split('\n\n').slice(-3)).toEqual([
      'data: {"id":"chatcmpl-1","created":1,"model":"acme/m","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}',
      'data: [DONE]',
      '',
    ])
    expect(calls.ended).toBe(true)
  })

  it('has heartbeats while the model is silent', async () => {
    const { body } = open(HELLO, never)
    const reader = body.getReader()
    const first = reader.read()
    await vi.advanceTimersByTimeAsync(14_999)
    await vi.advanceTimersByTimeAsync(1)
    expect(Buffer.from((await first).value!).toString()).toBe(': heartbeat\n\n')
    const second = reader.read()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(Buffer.from((await second).value!).toString()).toBe(': heartbeat\n\n')
    await reader.cancel()
  })

  it('does not ask the model for more than its reader has taken, and queues no heartbeats for one that stalls', async () => {
    const { body, calls } = open(Array.from({ length: 50 }, (): ChatEvent => HELLO[0]!))
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(calls.asked).toBe(1)
    await body.cancel()
  })

  it('aborts the call when its reader leaves', async () => {
    const { body, calls, openStreams } = open(HELLO, never)
    const left = body.cancel()
    await left.catch(() => {})
    expect(calls).toMatchObject({ aborted: true, ended: true })
    expect(openStreams.size).toBe(0)
  })

  it('ends with an error when the process stops, and the stop waits for the end of the call', async () => {
    const { body, calls, openStreams, faults } = open(HELLO, never)
    const text = new Response(body).text()
    await openStreams[Symbol.asyncDispose]()
    expect(calls).toMatchObject({ aborted: true, ended: true })
    expect(await text).toBe(
      'data: {"error":{"message":"The server is stopping. Try again.","type":"server_error","code":"UNAVAILABLE"}}\n\n',
    )
    expect(faults).toEqual(['The server is stopping. Try again.'])
  })
})
