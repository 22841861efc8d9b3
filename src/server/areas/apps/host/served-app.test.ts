import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { serveInstance } from './served-app.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const serve = () => serveInstance({ address: { socket: '/nowhere' }, fetch: async () => new Response('well') })
const signal = new AbortController().signal

/** Opens WebSockets of an instance that end when they are closed, and returns how many were closed. */
function openSockets(served: ReturnType<typeof serve>, count: number): () => number {
  let closed = 0
  for (let n = 0; n < count; n++) {
    const end = served.beginSocket(() => {
      closed++
      end()
    })
  }
  return () => closed
}

it('AP-01 WebSockets of a former revision are closed when their time is over, and no earlier', async () => {
  const served = serve()
  const closed = openSockets(served, 2)
  const drained = served.drain(30_000, { ms: 30_000, signal })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(closed()).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(closed()).toBe(2)
  await drained
})

it('AP-01 WebSockets of an app that is stopped are closed at once, and a request may still end', async () => {
  const served = serve()
  const closed = openSockets(served, 1)
  const endRequest = served.begin()
  let isDrained = false
  const drained = served.drain(30_000).then(() => {
    isDrained = true
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(closed()).toBe(1)
  expect(isDrained).toBe(false)
  endRequest()
  await drained
})

it('AP-01 WebSockets of a former revision are closed at once when the app is deleted meanwhile', async () => {
  const served = serve()
  const closed = openSockets(served, 1)
  const deleted = new AbortController()
  const drained = served.drain(30_000, { ms: 30_000, signal: deleted.signal })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(closed()).toBe(0)
  deleted.abort()
  expect(closed()).toBe(1)
  await drained
})

it('AP-01 a WebSocket that is opened while others are closed is closed too', async () => {
  const served = serve()
  await served.drain(0)
  const closed = openSockets(served, 1)
  await Promise.resolve()
  expect(closed()).toBe(1)
})

it('AP-01 a WebSocket that does not end keeps an instance for two seconds', async () => {
  const served = serve()
  served.beginSocket(() => {})
  const drained = served.drain(30_000)
  await vi.advanceTimersByTimeAsync(2_000)
  await drained
})
