import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createClient } from '#contract/core/client.ts'
import { operation } from '#contract/core/operation.ts'
import { LastId } from '#contract/core/stream.ts'
import { route } from '#edge/route/route.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTwoServices, type TwoServices } from '#test/programs/simulated-process.ts'
import { until } from '#test/until.ts'

const common = { access: 'public', effect: 'read', bodyLimit: 0, summary: 'A test', kind: 'stream' } as const
const follow = operation({
  ...common,
  name: 'test.follow',
  method: 'GET',
  path: '/api/follow',
  resumable: true,
  input: z.object({ last_id: LastId }),
  event: z.object({ id: z.string(), n: z.int() }),
})
const flood = operation({
  ...common,
  name: 'test.flood',
  method: 'GET',
  path: '/api/flood',
  input: z.object({}),
  event: z.object({ text: z.string() }),
})

const MODES = ['together', 'apart'] as const

describe.each(MODES)('OP-03 a stream through the door, services %s', (mode) => {
  let database: TestDatabase
  let system: TwoServices
  /** Sources that run, by the id they started after. */
  let running: Set<string>
  let flooded: { bytes: number; ended: boolean }
  let sendNext: () => void

  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const routes = () => {
    running = new Set()
    flooded = { bytes: 0, ended: false }
    let next = Promise.withResolvers<void>()
    let sends = 0
    sendNext = () => {
      sends += 1
      next.resolve()
      next = Promise.withResolvers()
    }
    return [
      route(follow, async function* ({ last_id = '0' }, { signal }) {
        running.add(last_id)
        const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        try {
          for (let n = Number(last_id) + 1; !signal.aborted; n++) {
            const sendsBefore = sends
            yield { id: String(n), n }
            // The caller can have the event, and ask for the next, before the source goes on from its yield.
            if (sends === sendsBefore) await Promise.race([next.promise, gone])
          }
        } finally {
          running.delete(last_id)
        }
      }),
      route(flood, async function* () {
        const text = 'x'.repeat(64 * 1024)
        try {
          for (;;) {
            flooded.bytes += text.length
            yield { text }
          }
        } finally {
          flooded.ended = true
        }
      }),
    ]
  }

  const startWith = async (timeouts = {}) => {
    system = await startTwoServices({ mode, routes: routes(), db: database.db, listenOptions: { timeouts } })
    return system
  }

  const clientOf = () => createClient({ baseUrl: system.door.url, fetch })

  it('brings each event when it happens, and a caller who leaves ends the source', async () => {
    await using _ = await startWith()
    const events = clientOf().stream(follow, {})
    expect((await events.next()).value).toEqual({ id: '1', n: 1 })
    sendNext()
    expect((await events.next()).value).toEqual({ id: '2', n: 2 })
    expect([...running]).toEqual(['0'])
    await events.return(undefined)
    await until(() => running.size === 0)
  })

  it('a caller whose connection breaks ends the source', async () => {
    await using _ = await startWith()
    const socket = connect({ port: Number(new URL(system.door.url).port), host: '127.0.0.1' })
    socket.write('GET /api/follow HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => running.size === 1)
    socket.resetAndDestroy()
    await until(() => running.size === 0)
  })

  it('stays open while nothing happens: heartbeats go through, no time limit ends it', async () => {
    // The connection counts as stalled after 50 ms without a byte, and the heartbeat comes after 15 seconds.
    await using _ = await startWith({ stalledMs: 50, headersMs: 50 })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const text = readText(`${system.door.url}/api/follow`)
      await until(() => text.value.includes('"n":1'))
      for (const beats of [1, 2, 3]) {
        vi.advanceTimersByTime(15_000)
        await until(() => text.value === `{"id":"1","n":1}\n${'\n'.repeat(beats)}`)
      }
      text.stop()
      await until(() => running.size === 0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends at once with a last record when the service stops, and its source is cleaned up', async () => {
    await using _ = await startWith()
    const text = readText(`${system.door.url}/api/follow`)
    await until(() => text.value.includes('"n":1'))
    await system.service[Symbol.asyncDispose]()
    expect(running.size).toBe(0)
    await until(() => text.isEnded)
    expect(text.value).toBe('{"id":"1","n":1}\n{"end":{"reason":"shutdown"}}\n')
  })

  it('ends at once with a last record when the door stops, and the source behind it ends', async () => {
    await using _ = await startWith()
    const text = readText(`${system.door.url}/api/follow`, { accept: 'text/event-stream' })
    await until(() => text.value.includes('"n":1'))
    await system.door[Symbol.asyncDispose]()
    await until(() => text.isEnded)
    expect(text.value).toBe('id: 1\ndata: {"id":"1","n":1}\n\nevent: end\ndata: {"reason":"shutdown"}\n\n')
    await until(() => running.size === 0)
  })

  it('the typed client goes on with the next process after the last id it saw', async () => {
    await using first = await startWith()
    let url = first.door.url
    const client = createClient({
      baseUrl: url,
      // As behind a load balancer: the same address leads to whichever process runs.
      fetch: (request) => fetch(request.url.replace(first.door.url, url), request),
      wait: (ms, signal) =>
        ms === 60_000
          ? new Promise(() => {})
          : signal.aborted
            ? Promise.reject(signal.reason as Error)
            : Promise.resolve(),
    })
    const events = client.stream(follow, {})
    expect((await events.next()).value).toEqual({ id: '1', n: 1 })
    sendNext()
    expect((await events.next()).value).toEqual({ id: '2', n: 2 })
    const pending = events.next()
    await first[Symbol.asyncDispose]()
    await using second = await startWith()
    url = second.door.url
    expect((await pending).value).toEqual({ id: '3', n: 3 })
    expect([...running]).toEqual(['2'])
    await events.return(undefined)
  })

  it('a reader who does not read holds back the source, and is cut off', async () => {
    await using _ = await startWith({ stalledMs: 200 })
    const socket = connect({ port: Number(new URL(system.door.url).port), host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET /api/flood HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => flooded.ended)
    // The buffers of two connections on the way, far less than a source without limits would have made by then.
    expect(flooded.bytes).toBeLessThan(64 * 1024 * 1024)
    socket.destroy()
  })
})

/** Reads an answer as it comes, on a connection that is kept alive. */
function readText(url: string, headers: Record<string, string> = {}) {
  const state = { value: '', isEnded: false, stop: () => void request.destroy() }
  const request = httpRequest(url, { headers }, (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      state.value += chunk
    })
    response.on('end', () => {
      state.isEnded = true
    })
  })
  request.on('error', () => {})
  request.end()
  return state
}
