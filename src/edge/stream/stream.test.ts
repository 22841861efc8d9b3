import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { operation, type StreamOperation } from '#contract/core/operation.ts'
import { LastId } from '#contract/core/stream.ts'
import { OpenStreams } from './open-streams.ts'
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

const resumable = operation({
  ...op,
  name: 'test.follow',
  path: '/follow',
  resumable: true,
  input: z.object({ last_id: LastId }),
  event: z.object({ id: z.string().optional(), n: z.number() }),
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

type Collecting = { framing?: 'sse' | 'ndjson'; of?: StreamOperation; callerSignal?: AbortSignal }

function collect(from: Pick<Source, 'events'>, { framing = 'ndjson', of = op, callerSignal }: Collecting = {}) {
  const faults: unknown[] = []
  const openStreams = new OpenStreams()
  let sourceSignal: AbortSignal | undefined
  const eventsOf = (signal: AbortSignal) => {
    sourceSignal = signal
    return from.events
  }
  const body = streamBody(eventsOf, {
    op: of,
    framing,
    requestId: 'req_1',
    callerSignal: callerSignal ?? new AbortController().signal,
    openStreams,
    onFault: (error) => faults.push(error),
  })
  return { faults, body, openStreams, isAborted: () => sourceSignal?.aborted, text: () => new Response(body).text() }
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

  it('server-sent events are one data line and an empty one each, then an event that says the stream is over', async () => {
    expect(await collect(source([{ n: 1 }, { n: 2 }]), { framing: 'sse' }).text()).toBe(
      'data: {"n":1}\n\ndata: {"n":2}\n\nevent: end\ndata: {"reason":"done"}\n\n',
    )
  })

  it('keys that the schema does not name are removed', async () => {
    expect(await collect(source([{ n: 1, secret: 'x' }])).text()).toBe('{"n":1}\n')
  })

  it('a refusal after the first event is the last record and is logged', async () => {
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

  it('an unexpected fault reveals no internals', async () => {
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

  it('a reader that disconnects ends the source and is not logged as a fault', async () => {
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
      const { body, faults } = collect({ events: run() })
      await started.promise
      const gone = body.cancel()
      if (then === 'yields') waiting.resolve({ n: 1 })
      else waiting.reject(new Error('aborted'))
      await gone
      expect(faults).toEqual([])
    },
  )
})

/** A source that yields one event and then waits until its signal is aborted. */
function waitingSource() {
  const ended = Promise.withResolvers<void>()
  async function* run(): AsyncGenerator {
    try {
      yield { n: 1 }
      await ended.promise
    } finally {
      state.ended = true
    }
  }
  const state = { ended: false, events: run(), release: ended.resolve }
  return state
}

/** Reads what is there, so that the next read waits for the source. */
async function readOne(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  const next = async () => {
    const { done, value } = await reader.read()
    return done ? undefined : new TextDecoder().decode(value)
  }
  return { first: await next(), next, reader }
}

describe('OP-03 a stream that stays open', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['ndjson', '\n'],
    ['sse', ': heartbeat\n\n'],
  ] as const)('as %s sends a heartbeat after 15 seconds without an event', async (framing, heartbeat) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { body } = collect(waitingSource(), { framing })
    const { next } = await readOne(body)
    const second = next()
    vi.advanceTimersByTime(15_000)
    expect(await second).toBe(heartbeat)
    const third = next()
    vi.advanceTimersByTime(15_000)
    expect(await third).toBe(heartbeat)
  })

  it('queues no heartbeats for a reader that does not read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const from = waitingSource()
    const { body, openStreams } = collect(from)
    const { next } = await readOne(body)
    vi.advanceTimersByTime(3_600_000)
    from.release()
    await openStreams[Symbol.asyncDispose]()
    expect([await next(), await next(), await next()]).toEqual(['\n', '{"end":{"reason":"shutdown"}}\n', undefined])
  })

  it('asks its source for no more than one event beyond what was read', async () => {
    let asked = 0
    async function* run() {
      for (;;) yield { n: ++asked }
    }
    const { body } = collect({ events: run() })
    const { next } = await readOne(body)
    await next()
    await new Promise(setImmediate)
    expect(asked).toBe(3)
  })

  it.each([
    ['ndjson', '{"end":{"reason":"shutdown"}}\n'],
    ['sse', 'event: end\ndata: {"reason":"shutdown"}\n\n'],
  ] as const)('as %s ends at once with a last record when the process stops', async (framing, last) => {
    const from = waitingSource()
    const { body, openStreams, isAborted, faults } = collect(from, { framing })
    const { next } = await readOne(body)
    const stopped = openStreams[Symbol.asyncDispose]()
    expect([await next(), await next()]).toEqual([last, undefined])
    expect(isAborted()).toBe(true)
    from.release()
    await stopped
    expect([from.ended, openStreams.size, faults]).toEqual([true, 0, []])
  })

  it('a stop waits for the cleanup of its source', async () => {
    const cleanup = Promise.withResolvers<void>()
    let cleaned = false
    async function* run() {
      try {
        yield { n: 1 }
      } finally {
        await cleanup.promise
        cleaned = true
      }
    }
    const { body, openStreams } = collect({ events: run() })
    await readOne(body)
    const stopped = openStreams[Symbol.asyncDispose]()
    cleanup.resolve()
    await stopped
    expect(cleaned).toBe(true)
  })

  it('a source that never ends does not hold up a stop', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { body, openStreams } = collect(waitingSource())
    const { next } = await readOne(body)
    const pending = next()
    const stopped = openStreams[Symbol.asyncDispose]()
    await pending
    vi.advanceTimersByTime(5_000)
    await stopped
  })

  it('one that starts while the process stops consists of the last record', async () => {
    const from = source([{ n: 1 }])
    const openStreams = new OpenStreams()
    await openStreams[Symbol.asyncDispose]()
    const callerSignal = new AbortController().signal
    const options = { op, framing: 'ndjson', requestId: 'req_1', callerSignal, openStreams, onFault: () => {} } as const
    const body = streamBody(() => from.events, options)
    expect(await new Response(body).text()).toBe('{"end":{"reason":"shutdown"}}\n')
  })

  it('a caller who goes away ends the source', async () => {
    const caller = new AbortController()
    const from = waitingSource()
    const { body, faults, isAborted, openStreams } = collect(from, { callerSignal: caller.signal })
    const { next } = await readOne(body)
    const pending = next()
    caller.abort(new Error('gone'))
    expect(await pending).toBeUndefined()
    expect(isAborted()).toBe(true)
    from.release()
    await openStreams[Symbol.asyncDispose]()
    expect([from.ended, faults]).toEqual([true, []])
  })

  it('of a resumable operation tells the id of each event that has one', async () => {
    const events = [{ id: 'a-1', n: 1 }, { n: 2 }]
    expect(await collect(source(events), { framing: 'sse', of: resumable }).text()).toBe(
      'id: a-1\ndata: {"id":"a-1","n":1}\n\ndata: {"n":2}\n\nevent: end\ndata: {"reason":"done"}\n\n',
    )
    expect(await collect(source(events), { of: resumable }).text()).toBe('{"id":"a-1","n":1}\n{"n":2}\n')
  })

  it.each(['a\nb', 'a b', '', 'é', 'x'.repeat(201)])('an id that no header can carry is a fault: %j', async (id) => {
    const { text, faults } = collect(source([{ id, n: 1 }]), { framing: 'sse', of: resumable })
    expect(await text()).toMatch(/^data: \{"problem":\{.*"code":"INTERNAL".*\}\}\n\n$/)
    expect(faults).toHaveLength(1)
  })

  it.each(['end', 'problem'])('an event with the reserved key %s is a fault', async (key) => {
    const of = operation({ ...op, event: z.looseObject({}) })
    const { text, faults } = collect(source([{ [key]: 1 }]), { of })
    expect(await text()).toContain('"code":"INTERNAL"')
    expect(faults).toHaveLength(1)
  })

  it('a resumable operation without the input last_id cannot be defined', () => {
    expect(() => operation({ ...op, resumable: true })).toThrow('test.count is resumable, so its input needs last_id')
  })
})
