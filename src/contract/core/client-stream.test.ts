import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from './client.ts'
import type { CallOptions } from './client-send.ts'
import { ServiceError } from './errors.ts'
import { operation } from './operation.ts'
import { LastId } from './stream.ts'

const follow = operation({
  kind: 'stream',
  name: 'test.follow',
  method: 'GET',
  path: '/follow',
  summary: 'Follows',
  access: 'public',
  effect: 'read',
  bodyLimit: 0,
  resumable: true,
  input: z.object({ last_id: LastId }),
  event: z.object({ id: z.string().optional(), n: z.int() }),
})
const start = operation({ ...follow, name: 'test.start', method: 'POST', effect: 'write', bodyLimit: 1000 })
const once = operation({
  kind: 'stream',
  name: 'test.once',
  method: 'GET',
  path: '/once',
  summary: 'Cannot be continued',
  access: 'public',
  effect: 'read',
  bodyLimit: 0,
  input: z.object({}),
  event: z.object({ id: z.string().optional(), n: z.int() }),
})

const SHUTDOWN = '{"end":{"reason":"shutdown"}}\n'
const event = (n: number) => `${JSON.stringify({ id: `id-${n}`, n })}\n`

/** A body that sends the text and then breaks. */
function broken(text: string): Response {
  let sent = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new TypeError('terminated'))
      else controller.enqueue(new TextEncoder().encode(text))
      sent = true
    },
  })
  return new Response(body)
}

type Answer = Response | Error

/** A client whose server gives one answer after the other, and the starts it was asked for. */
function clientOf(...answers: Answer[]) {
  const starts: (string | null)[] = []
  const delays: number[] = []
  const never = new Promise<void>(() => {})
  const client = createClient({
    baseUrl: 'https://svc.test',
    fetch: async (request) => {
      starts.push(new URL(request.url).searchParams.get('last_id'))
      const answer = answers.shift() ?? new ServiceError('UNAVAILABLE', 'no more answers')
      if (answer instanceof Error) throw answer
      return answer
    },
    // Sixty seconds is the wait for a silent stream, which these tests never reach.
    wait: async (ms) => (ms === 60_000 ? never : void delays.push(ms)),
  })
  const read = async (input: z.input<typeof follow.input> = {}, options: CallOptions = {}) => {
    const seen: number[] = []
    const fault = await (async () => {
      for await (const { n } of client.stream(follow, input, options)) seen.push(n)
    })().catch((error: unknown) => error)
    return { seen, fault }
  }
  return { client, starts, delays, read }
}

describe('OP-03 a resumable stream', () => {
  it.each([
    ['the connection breaks', () => broken(event(1) + event(2))],
    ['the server stops', () => new Response(event(1) + event(2) + SHUTDOWN)],
    [
      'the door cannot reach the service',
      () =>
        broken(
          `${event(1)}${event(2)}${JSON.stringify({ problem: new ServiceError('UNAVAILABLE', 'x').toProblem() })}\n`,
        ),
    ],
    ['it is cut in the middle of a record', () => broken(`${event(1)}${event(2)}{"id":"id-3",`)],
  ])('is continued after its last id when %s', async (_, first) => {
    const { read, starts } = clientOf(first(), new Response(event(3)))
    expect(await read()).toEqual({ seen: [1, 2, 3], fault: undefined })
    expect(starts).toEqual([null, 'id-2'])
  })

  it('starts where the caller says, and continues there if nothing came', async () => {
    const { read, starts } = clientOf(new Response(SHUTDOWN), new Response(event(8)))
    expect((await read({ last_id: 'id-7' })).seen).toEqual([8])
    expect(starts).toEqual(['id-7', 'id-7'])
  })

  it('ends with the stream: a stream that ended is not opened again', async () => {
    const { read, starts } = clientOf(new Response(`${event(1)}{"end":{"reason":"done"}}\n${event(2)}`))
    expect(await read()).toEqual({ seen: [1], fault: undefined })
    expect(starts).toHaveLength(1)
  })

  it('ignores heartbeats', async () => {
    const { read } = clientOf(new Response(`\n\n${event(1)}\n${event(2)}\n`))
    expect(await read()).toEqual({ seen: [1, 2], fault: undefined })
  })

  it('gives up after eight reconnections in a row, each after a longer wait', async () => {
    const { read, starts, delays } = clientOf(broken(event(1)), ...Array.from({ length: 20 }, () => broken('')))
    const { seen, fault } = await read()
    expect([seen, fault, starts.length]).toEqual([[1], expect.any(TypeError), 9])
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]
    expect(delays).toHaveLength(longest.length)
    for (const [at, delay] of delays.entries()) {
      expect(delay).toBeGreaterThanOrEqual(longest[at]! / 2)
      expect(delay).toBeLessThanOrEqual(longest[at]!)
    }
  })

  it('a heartbeat shows that the server is back: the count of failures starts anew', async () => {
    const answers = Array.from({ length: 20 }, () => broken('\n'))
    const { read, starts } = clientOf(broken(event(1)), ...answers, new Response(event(2)))
    expect((await read()).seen).toEqual([1, 2])
    expect(starts).toHaveLength(22)
  })

  it('waits as long as the server asks for', async () => {
    const busy = () => Response.json({ code: 'RATE_LIMITED' }, { status: 429, headers: { 'retry-after': '30' } })
    const { read, delays } = clientOf(broken(event(1)), busy(), new Response(event(2)))
    expect((await read()).seen).toEqual([1, 2])
    expect(delays[1]).toBe(30_000)
  })

  it('a refusal is thrown at once, at the start and after a break', async () => {
    const refused = () => Response.json({ code: 'INVALID_TOKEN' }, { status: 401 })
    expect((await clientOf(refused()).read()).fault).toMatchObject({ code: 'INVALID_TOKEN' })
    const later = clientOf(broken(event(1)), refused(), new Response(event(2)))
    expect(await later.read()).toMatchObject({ seen: [1], fault: { code: 'INVALID_TOKEN' } })
  })

  it('a first connection that fails is not repeated', async () => {
    const { read, starts } = clientOf(new ServiceError('UNAVAILABLE', 'nobody there'), new Response(event(1)))
    expect(await read()).toMatchObject({ seen: [], fault: { message: 'nobody there' } })
    expect(starts).toHaveLength(1)
  })

  it('a connection that is silent for a minute is given up and continued', async () => {
    const waits: number[] = []
    const answers = [() => new Response(new ReadableStream()), () => new Response(event(1))]
    const client = createClient({
      baseUrl: 'https://svc.test',
      fetch: async () => answers.shift()!(),
      wait: async (ms, signal) => {
        waits.push(ms)
        // The second connection answers at once, so its wait is aborted.
        if (answers.length === 0 && ms === 60_000)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      },
    })
    expect(await Array.fromAsync(client.stream(follow, {}))).toEqual([{ id: 'id-1', n: 1 }])
    expect(waits[0]).toBe(60_000)
  })

  it('a caller who goes away is not reconnected', async () => {
    const caller = new AbortController()
    const { client, starts } = clientOf(broken(event(1)), new Response(event(2)))
    const events = client.stream(follow, {}, { signal: caller.signal })
    await events.next()
    caller.abort(new Error('gone'))
    await expect(events.next()).rejects.toThrow('gone')
    expect(starts).toHaveLength(1)
  })

  it('ends when its caller goes away, also if the connection does not notice, and frees the connection', async () => {
    const freed = Promise.withResolvers<unknown>()
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(event(1))),
      cancel: freed.resolve,
    })
    const abort = new AbortController()
    const { client } = clientOf(new Response(silent))
    const seen: number[] = []
    const reading = (async () => {
      for await (const { n } of client.stream(follow, {}, { signal: abort.signal })) {
        seen.push(n)
        setImmediate(() => abort.abort(new Error('gone')))
      }
    })()
    await expect(reading).rejects.toThrow('gone')
    await freed.promise
    expect(seen).toEqual([1])
  })

  it('one that writes is continued only under an idempotency key', async () => {
    const without = clientOf(broken(event(1)), new Response(event(2)))
    await expect(Array.fromAsync(without.client.stream(start, {}))).rejects.toThrow('terminated')
    const under = clientOf(broken(event(1)), new Response(event(2)))
    const events = await Array.fromAsync(under.client.stream(start, {}, { idempotencyKey: 'k1' }))
    expect(events.map(({ n }) => n)).toEqual([1, 2])
  })
})

describe('OP-03 a stream that cannot be continued', () => {
  it('says that the server restarts', async () => {
    const { client, starts } = clientOf(new Response(event(1) + SHUTDOWN))
    await expect(Array.fromAsync(client.stream(once, {}))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The server is restarting and ended the stream. Try again.',
    })
    expect(starts).toHaveLength(1)
  })
})
