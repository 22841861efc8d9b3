import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { operation } from '#contract/core/operation.ts'
import { chooseFraming, STREAM_TYPES, streamBody } from './stream.ts'

const op = operation({
  kind: 'stream',
  name: 'test.count',
  method: 'GET',
  path: '/count',
  summary: 'Counts',
  access: 'public',
  effect: 'read',
  bodyLimit: 0,
  input: z.object({}),
  event: z.object({ n: z.number() }),
})

type Source = { events: AsyncIterable<unknown>; ended: () => boolean }

/** Yields what it is given, then throws `error` if there is one; `ended` tells whether its finally has run. */
function source(events: readonly unknown[], error?: unknown): Source {
  let ended = false
  async function* run() {
    try {
      yield* events
      if (error !== undefined) throw error
    } finally {
      ended = true
    }
  }
  return { events: run(), ended: () => ended }
}

function collect(from: Source, framing: 'sse' | 'ndjson' = 'ndjson') {
  const faults: unknown[] = []
  const body = streamBody(op, from.events, framing, 'req_1', (error) => faults.push(error))
  return { faults, body, text: () => new Response(body).text() }
}

describe('chooseFraming', () => {
  it.each([
    [null, 'ndjson'],
    ['*/*', 'ndjson'],
    ['application/x-ndjson', 'ndjson'],
    ['text/event-stream', 'sse'],
    ['application/json, text/event-stream', 'sse'],
  ])('Accept %j gives %s', (accept, framing) => {
    expect(chooseFraming(accept)).toBe(framing)
  })

  it('each framing has its media type', () => {
    expect(STREAM_TYPES).toEqual({ sse: 'text/event-stream', ndjson: 'application/x-ndjson' })
  })
})

describe('streamBody', () => {
  it('NDJSON is one event a line', async () => {
    expect(await collect(source([{ n: 1 }, { n: 2 }])).text()).toBe('{"n":1}\n{"n":2}\n')
  })

  it('server-sent events are one data line and an empty one each', async () => {
    expect(await collect(source([{ n: 1 }, { n: 2 }]), 'sse').text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n')
  })

  it('what the schema does not name does not leave', async () => {
    expect(await collect(source([{ n: 1, secret: 'x' }])).text()).toBe('{"n":1}\n')
  })

  it('a refusal after the first event is the last line, and is told to the log', async () => {
    const error = new ServiceError('UNAVAILABLE', 'gone')
    const { text, faults } = collect(source([{ n: 1 }], error))
    const [first, last, end] = (await text()).split('\n')
    expect(first).toBe('{"n":1}')
    expect(JSON.parse(last!)).toEqual({
      problem: {
        type: 'urn:svc:problem:unavailable',
        title: 'Temporarily unavailable',
        status: 503,
        detail: 'gone',
        code: 'UNAVAILABLE',
        request_id: 'req_1',
      },
    })
    expect(end).toBe('')
    expect(faults).toEqual([error])
  })

  it('an unexpected fault tells nothing of its inside', async () => {
    const text = await collect(source([], new Error('password is hunter2'))).text()
    expect(text).toContain('"code":"INTERNAL"')
    expect(text).not.toContain('hunter2')
  })

  it('an event that does not fit ends the stream with INTERNAL and ends its source', async () => {
    const from = source([{ n: 'one' }, { n: 2 }])
    const { text, faults } = collect(from)
    expect(await text()).toMatch(/^\{"problem":\{.*"code":"INTERNAL".*\}\}\n$/)
    expect(faults).toHaveLength(1)
    expect(from.ended()).toBe(true)
  })

  it('a reader that goes away ends the source, and is no fault', async () => {
    const from = source([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
    const { body, faults } = collect(from)
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(from.ended()).toBe(true)
    expect(faults).toEqual([])
  })

  it.each(['yields', 'throws'])(
    'a reader that goes away while the source waits is no fault: it then %s',
    async (then) => {
      const waiting = Promise.withResolvers<{ n: number }>()
      const started = Promise.withResolvers<void>()
      async function* run() {
        started.resolve()
        yield await waiting.promise
      }
      const { body, faults } = collect({ events: run(), ended: () => false })
      await started.promise
      const gone = body.cancel()
      if (then === 'yields') waiting.resolve({ n: 1 })
      else waiting.reject(new Error('aborted'))
      await gone
      expect(faults).toEqual([])
    },
  )
})
