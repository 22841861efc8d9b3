import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createSafeFetch } from './safe-fetch.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from './test-internet.ts'

const publicIp = '93.184.216.34'
const url = 'https://hooks.example/'

function fetchAt(peer: Peer) {
  return createSafeFetch({
    resolve: fakeResolve({ 'hooks.example': [[publicIp]] }),
    connect: fakeConnect({ [publicIp]: peer }),
  })
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

test('headers without end are too large', async () => {
  await using peer = await startPeer((_request, response) => response.setHeader('x', 'y'.repeat(100_000)).end())
  await expect(fetchAt(peer)(url)).rejects.toMatchObject({ reason: 'too_large', sent: true })
})

test('NO-07 a peer that never answers: timeout, and the request may have been acted on', async () => {
  await using peer = await startPeer(() => {})
  await expect(fetchAt(peer)(url, { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout', sent: true })
})

test('a body that stalls: timeout with the status that had arrived', async () => {
  await using peer = await startPeer((_request, response) => void response.writeHead(202).write('half'))
  const failure = { reason: 'timeout', sent: true, status: 202 }
  await expect(fetchAt(peer)(url, { timeoutMs: 100 })).rejects.toMatchObject(failure)
})

test('a name server that never answers: timeout, and nothing was sent', async () => {
  const safeFetch = createSafeFetch({ resolve: () => new Promise(() => {}) })
  await expect(safeFetch(url, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timeout', sent: false })
})

test('a handshake that never ends: timeout, nothing was sent, and the connection is dropped', async () => {
  const dropped = Promise.withResolvers<void>()
  using peer = await startDeafPeer((socket) =>
    socket
      .resume()
      .on('error', () => {})
      .on('close', dropped.resolve),
  )
  await expect(peer.safeFetch(peer.url, { timeoutMs: 100 })).rejects.toMatchObject({ reason: 'timeout', sent: false })
  await dropped.promise
})

test('a handshake that fails: connect, and nothing was sent but the name in the clear', async () => {
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

test('nobody listens: connect, and nothing was sent', async () => {
  const gone = await startPeer()
  await gone[Symbol.asyncDispose]()
  const safeFetch = createSafeFetch({ allowCidrs: ['127.0.0.1/32'] })
  const sending = safeFetch(`http://127.0.0.1:${gone.port}/`)
  await expect(sending).rejects.toMatchObject({ reason: 'connect', sent: false, cause: { code: 'ECONNREFUSED' } })
})

test('NO-07 a peer that hangs up: io, the request may have been acted on, and it is not sent twice', async () => {
  await using peer = await startPeer((request) => request.socket.destroy())
  await expect(fetchAt(peer)(url)).rejects.toMatchObject({ reason: 'io', sent: true })
  expect(peer.received).toHaveLength(1)
})

test('an abort before and an abort underway', async () => {
  const controller = new AbortController()
  await using peer = await startPeer(() => controller.abort())
  const { signal } = controller
  await expect(fetchAt(peer)(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: true })
  await expect(fetchAt(peer)(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: false })
  const waiting = createSafeFetch({ resolve: () => new Promise(() => {}) })
  await expect(waiting(url, { signal })).rejects.toMatchObject({ reason: 'aborted', sent: false })
  expect(peer.connections).toBe(1)
})

test('a name that nobody knows, and one without addresses: dns', async () => {
  const safeFetch = createSafeFetch({ resolve: fakeResolve({ 'empty.example': [[]] }) })
  await expect(safeFetch(url)).rejects.toMatchObject({ reason: 'dns', sent: false })
  await expect(safeFetch('https://empty.example/')).rejects.toMatchObject({ reason: 'dns', sent: false })
})
