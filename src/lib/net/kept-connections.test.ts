import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { until } from '#test/until.ts'
import { createKeptConnections } from './kept-connections.ts'
import { createSafeFetch } from './safe-fetch.ts'

const PUBLIC_IP = '93.184.216.34'
const OTHER_IP = '93.184.216.35'
const URL_A = 'https://hooks.example/a'
const URL_B = 'https://hooks.example/b'
const POST = { method: 'POST', body: '[]', keepConnection: true }

function fetchAt(peers: Record<string, Pick<Peer, 'port'>>, { names = {}, maxConnections = 10 } = {}) {
  let time = 0
  const keptConnections = createKeptConnections({ now: () => time, maxConnections })
  const resolve = fakeResolve({ 'hooks.example': [[PUBLIC_IP]], ...names })
  const safeFetch = createSafeFetch({ resolve, connect: fakeConnect(peers), keptConnections })
  const wait = (ms: number) => {
    time += ms
  }
  return { safeFetch, wait, keptConnections }
}

afterEach(() => void vi.useRealTimers())

/** A peer whose connections can be told apart and ended one by one. */
async function startSocketPeer(onRequest: (socket: Socket, count: number) => void) {
  let count = 0
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).on('data', () => onRequest(socket, ++count))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, sockets, [Symbol.asyncDispose]: end }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

test('requests to one URL use one connection, and each is answered with its own response', async () => {
  let count = 0
  await using peer = await startPeer((_request, response) => response.end(String(++count)))
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  const bodies: string[] = []
  for (let i = 0; i < 3; i++) bodies.push(Buffer.from((await safeFetch(URL_A, POST)).body).toString())
  expect(bodies).toEqual(['1', '2', '3'])
  expect(peer.connections).toBe(1)
  await keptConnections[Symbol.asyncDispose]()
})

test('a request that does not ask for it uses and leaves no kept connection', async () => {
  await using peer = await startPeer()
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  await safeFetch(URL_A, { method: 'POST', body: '[]' })
  await safeFetch(URL_A, POST)
  expect(peer.connections).toBe(2)
  await keptConnections[Symbol.asyncDispose]()
})

test('NO-08 different URLs never share a connection, even on one host', async () => {
  await using peer = await startPeer()
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer }, { names: { 'other.example': [[PUBLIC_IP]] } })
  for (const url of [URL_A, URL_B, 'https://other.example/a', 'http://hooks.example/a']) await safeFetch(url, POST)
  expect(peer.connections).toBe(4)
  await keptConnections[Symbol.asyncDispose]()
})

test('NO-08 a kept connection is used for at most 30 seconds, and a name that was rebound is then refused', async () => {
  await using outside = await startPeer()
  await using inside = await startPeer()
  const names = { 'rebind.example': [[PUBLIC_IP], ['127.0.0.1']] }
  const { safeFetch, wait, keptConnections } = fetchAt({ [PUBLIC_IP]: outside, '127.0.0.1': inside }, { names })
  for (let sent = 0; sent < 60; sent++) {
    await safeFetch('http://rebind.example/', POST)
    wait(500)
  }
  const refused = { reason: 'refused_address', sent: false }
  await expect(safeFetch('http://rebind.example/', POST)).rejects.toMatchObject(refused)
  expect(outside.received).toHaveLength(60)
  expect([outside.connections, inside.connections]).toEqual([1, 0])
  await keptConnections[Symbol.asyncDispose]()
})

test('NO-08 after 30 seconds the name is resolved again, and the new address is used', async () => {
  await using first = await startPeer()
  await using second = await startPeer()
  const names = { 'moved.example': [[PUBLIC_IP], [OTHER_IP]] }
  const { safeFetch, wait, keptConnections } = fetchAt({ [PUBLIC_IP]: first, [OTHER_IP]: second }, { names })
  for (let sent = 0; sent < 61; sent++) {
    await safeFetch('http://moved.example/', POST)
    wait(500)
  }
  expect([first.received.length, second.received.length]).toEqual([60, 1])
  await keptConnections[Symbol.asyncDispose]()
})

test('a connection that was idle for a second is not used again', async () => {
  await using peer = await startPeer()
  const { safeFetch, wait, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  wait(999)
  await safeFetch(URL_A, POST)
  expect(peer.connections).toBe(1)
  wait(1_000)
  await safeFetch(URL_A, POST)
  expect(peer.connections).toBe(2)
  await keptConnections[Symbol.asyncDispose]()
})

test('an idle connection is closed when its time is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await using peer = await startSocketPeer((socket) => socket.write(OK))
  const { safeFetch, wait } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  const closed = once(peer.sockets[0]!, 'close')
  wait(1_000)
  vi.advanceTimersByTime(1_000)
  await closed
})

test('NO-07 a reset on a kept connection is an io error marked as sent, and the request is not repeated', async () => {
  await using peer = await startSocketPeer((socket, count) => {
    if (count === 1) socket.write(OK)
    else socket.resetAndDestroy()
  })
  const { safeFetch } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  await expect(safeFetch(URL_A, POST)).rejects.toMatchObject({ reason: 'io', sent: true })
  expect(peer.sockets).toHaveLength(1)
})

test('NO-07 a request on a kept connection that is closing counts as sent from its dispatch and is not repeated', async () => {
  await using peer = await startSocketPeer((socket) => void socket.write(OK, () => socket.resetAndDestroy()))
  const { safeFetch } = fetchAt({ [PUBLIC_IP]: peer })
  const outcomes: unknown[] = []
  for (let i = 0; i < 50; i++) outcomes.push(await safeFetch(URL_A, POST).catch((error: unknown) => error))
  // Whether the close was seen before the next request is a race. Whatever came of it, nothing counts as not sent.
  const failures = outcomes.filter((outcome) => outcome instanceof Error)
  for (const failure of failures) expect(failure).toMatchObject({ reason: 'io', sent: true })
  expect(peer.sockets.length).toBe(50 - failures.length)
})

test('a connection that the peer closed while it was idle is replaced by a new one', async () => {
  await using peer = await startSocketPeer((socket) => socket.write(OK))
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  const url = new URL(URL_A)
  const connection = keptConnections.take(url)!
  keptConnections.put(url, connection)
  peer.sockets[0]!.end()
  await until(() => !connection.isUsable())
  await expect(safeFetch(URL_A, POST)).resolves.toMatchObject({ status: 200 })
  expect(peer.sockets).toHaveLength(2)
  await keptConnections[Symbol.asyncDispose]()
})

const closing: [name: string, answer: RequestListener][] = [
  ['says connection: close', (_request, response) => response.setHeader('connection', 'close').end()],
  ['is too long', (_request, response) => response.end('x'.repeat(20_000))],
  ['is a redirect', (_request, response) => response.writeHead(307, { location: URL_B }).end()],
]

test.each(closing)('a connection is not kept after an answer that %s', async (_name, answer) => {
  await using peer = await startPeer((request, response) => {
    if (request.url === '/a') answer(request, response)
    else response.end()
  })
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  for (let i = 0; i < 3; i++) await safeFetch(URL_A, { ...POST, redirects: 1 })
  expect(peer.received.filter(({ path }) => path === '/a')).toHaveLength(3)
  // The target of the redirect is a URL of its own, whose connection is kept.
  const targets = peer.received.some(({ path }) => path === '/b') ? 1 : 0
  expect(peer.connections).toBe(3 + targets)
  await keptConnections[Symbol.asyncDispose]()
})

test('a request that timed out closes its kept connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = Promise.withResolvers<void>()
  await using peer = await startSocketPeer((socket, count) => {
    if (count === 1) socket.write(OK)
    else asked.resolve()
  })
  const { safeFetch } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  const closed = once(peer.sockets[0]!, 'close')
  const failure = { reason: 'timeout', sent: true }
  const failed = expect(safeFetch(URL_A, { ...POST, timeoutMs: 50 })).rejects.toMatchObject(failure)
  await asked.promise
  vi.advanceTimersByTime(50)
  await failed
  await closed
})

test('concurrent requests never share a connection', async () => {
  const both = Promise.withResolvers<void>()
  let waiting = 0
  await using peer = await startPeer((_request, response) => {
    waiting += 1
    if (waiting === 2) both.resolve()
    void both.promise.then(() => response.end())
  })
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  await Promise.all([safeFetch(URL_A, POST), safeFetch(URL_A, POST)])
  expect(peer.connections).toBe(2)
  await keptConnections[Symbol.asyncDispose]()
})

test('no more connections are kept than the bound, and the oldest is closed first', async () => {
  await using peer = await startSocketPeer((socket) => socket.write(OK))
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer }, { maxConnections: 2 })
  const urls = ['a', 'b', 'c'].map((path) => `https://hooks.example/${path}`)
  for (const url of urls) await safeFetch(url, POST)
  await until(() => peer.sockets[0]!.destroyed || peer.sockets[0]!.readableEnded)
  expect(peer.sockets.slice(1).some((socket) => socket.readableEnded)).toBe(false)
  expect(urls.map((url) => keptConnections.take(new URL(url)) !== undefined)).toEqual([false, true, true])
})

test('a stop closes the kept connections, and none is kept after it', async () => {
  await using peer = await startSocketPeer((socket) => socket.write(OK))
  const { safeFetch, keptConnections } = fetchAt({ [PUBLIC_IP]: peer })
  await safeFetch(URL_A, POST)
  await keptConnections[Symbol.asyncDispose]()
  await safeFetch(URL_A, POST)
  await until(() => peer.sockets.length === 2 && peer.sockets.every((socket) => socket.readableEnded))
})
