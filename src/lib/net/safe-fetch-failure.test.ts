import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { createSafeFetch } from './safe-fetch.ts'

const publicIp = '93.184.216.34'
const url = 'https://hooks.example/'

function fetchAt(peer: Peer) {
  return createSafeFetch({
    resolve: fakeResolve({ 'hooks.example': [[publicIp]] }),
    connect: fakeConnect({ [publicIp]: peer }),
  })
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Resolves when the next status line and headers have reached the code that asked for them. */
async function headArrived(): Promise<void> {
  await new Promise<void>((resolve) => {
    const onHeaders = () => {
      unsubscribe('undici:request:headers', onHeaders)
      resolve()
    }
    subscribe('undici:request:headers', onHeaders)
  })
  // They pass through promises only from here, and those are all settled before the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
}

// Speaks TCP and nothing above it.
async function startDeafPeer(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'deaf.example': [['127.0.0.1']] }),
    allowCidrs: ['127.0.0.1/32'],
  })
  const { port } = server.address() as AddressInfo
  return { safeFetch, url: `https://deaf.example:${port}/secret-path`, [Symbol.dispose]: () => void server.close() }
}

test('endless response headers fail with too_large', async () => {
  await using peer = await startPeer((_request, response) => response.setHeader('x', 'y'.repeat(100_000)).end())
  await expect(fetchAt(peer)(url)).rejects.toMatchObject({ reason: 'too_large', sent: true })
})

test('NO-07 a peer that never answers fails with timeout, marked as sent', async () => {
  const asked = Promise.withResolvers<void>()
  await using peer = await startPeer(() => asked.resolve())
  const failure = expect(fetchAt(peer)(url, { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout', sent: true })
  await asked.promise
  vi.advanceTimersByTime(50)
  await failure
})

test('a body that stalls fails with timeout and the status that had arrived', async () => {
  await using peer = await startPeer((_request, response) => void response.writeHead(202).write('half'))
  const arrived = headArrived()
  const failure = { reason: 'timeout', sent: true, status: 202 }
  const failed = expect(fetchAt(peer)(url, { timeoutMs: 100 })).rejects.toMatchObject(failure)
  await arrived
  vi.advanceTimersByTime(100)
  await failed
})

test('a name server that never answers fails with timeout, marked as not sent', async () => {
  const safeFetch = createSafeFetch({ resolve: () => new Promise(() => {}) })
  const failure = expect(safeFetch(url, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timeout', sent: false })
  vi.advanceTimersByTime(20)
  await failure
})

test('a handshake that never ends fails with timeout, marked as not sent, and the connection is closed', async () => {
  const dropped = Promise.withResolvers<void>()
  const greeted = Promise.withResolvers<void>()
  using peer = await startDeafPeer((socket) => {
    socket
      .on('data', () => greeted.resolve())
      .on('error', () => {})
      .on('close', dropped.resolve)
  })
  const failure = { reason: 'timeout', sent: false }
  const failed = expect(peer.safeFetch(peer.url, { timeoutMs: 100 })).rejects.toMatchObject(failure)
  await greeted.promise
  vi.advanceTimersByTime(100)
  await failed
  await dropped.promise
})

test('a handshake that fails is a connect error, marked as not sent', async () => {
  const hello = Promise.withResolvers<Buffer>()
  using peer = await startDeafPeer((socket) => {
    socket.once('data', (data) => {
      hello.resolve(data)
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
  })
  await expect(peer.safeFetch(peer.url)).rejects.toMatchObject({ reason: 'connect', sent: false })
  const seen = (await hello.promise).toString('latin1')
  expect(seen).toContain('deaf.example')
  expect(seen).not.toContain('secret-path')
})

test('a refused connection is a connect error, marked as not sent', async () => {
  const gone = await startPeer()
  await gone[Symbol.asyncDispose]()
  const safeFetch = createSafeFetch({ allowCidrs: ['127.0.0.1/32'] })
  const sending = safeFetch(`http://127.0.0.1:${gone.port}/`)
  await expect(sending).rejects.toMatchObject({ reason: 'connect', sent: false, cause: { code: 'ECONNREFUSED' } })
})

test('NO-07 a peer that hangs up is an io error, marked as sent, and the request is not repeated', async () => {
  await using peer = await startPeer((request) => request.socket.destroy())
  await expect(fetchAt(peer)(url)).rejects.toMatchObject({ reason: 'io', sent: true })
  expect(peer.received).toHaveLength(1)
})

test('an abort before or during the request fails with aborted', async () => {
  const controller = new AbortController()
  await using peer = await startPeer(() => controller.abort())
  const { signal } = controller
  await expect(fetchAt(peer)(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: true })
  await expect(fetchAt(peer)(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: false })
  const waiting = createSafeFetch({ resolve: () => new Promise(() => {}) })
  await expect(waiting(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: false })
  expect(peer.connections).toBe(1)
})

test('an unknown name and one without addresses fail with dns', async () => {
  const safeFetch = createSafeFetch({ resolve: fakeResolve({ 'empty.example': [[]] }) })
  await expect(safeFetch(url)).rejects.toMatchObject({ reason: 'dns', sent: false })
  await expect(safeFetch('https://empty.example/')).rejects.toMatchObject({ reason: 'dns', sent: false })
})
