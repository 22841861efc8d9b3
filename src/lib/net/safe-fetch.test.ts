import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { insideTransaction } from '../db/transaction-guard.ts'
import { createSafeFetch } from './safe-fetch.ts'

const publicIp = '93.184.216.34'
const url = 'https://hooks.example/T0/secret-path?key=secret-query'

function fetchAt(peer: Peer) {
  return createSafeFetch({
    resolve: fakeResolve({ 'hooks.example': [[publicIp]] }),
    connect: fakeConnect({ [publicIp]: peer }),
  })
}

test('NO-08 a request and its response are passed on whole', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(410, { 'x-two': ['a', 'b'], 'Retry-After': '7' }).end('gone')
  })
  const answer = await fetchAt(peer)(url, { method: 'POST', headers: { 'x-svc-timestamp': '1' }, body: '["ü"]' })
  expect(answer).toMatchObject({ status: 410, headers: { 'x-two': 'a, b', 'retry-after': '7' }, truncated: false })
  expect(Buffer.from(answer.body).toString()).toBe('gone')
  expect(peer.received).toMatchObject([
    { method: 'POST', path: '/T0/secret-path?key=secret-query', body: '["ü"]', headers: { 'x-svc-timestamp': '1' } },
  ])
})

test('every request uses a new connection', async () => {
  await using peer = await startPeer()
  const safeFetch = fetchAt(peer)
  await safeFetch(url)
  await safeFetch(url)
  expect(peer.connections).toBe(2)
})

test('an endless response is cut at the limit and the connection closed', async () => {
  const dropped = Promise.withResolvers<void>()
  await using peer = await startPeer((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(1000)));
    }
    response.on('drain', more).on('close', dropped.resolve)
    more()
  })
  const answer = await fetchAt(peer)(url)
  expect(answer).toMatchObject({ status: 200, truncated: true })
  expect(answer.body).toHaveLength(16 * 1024)
  await dropped.promise
})

test('a response of exactly the limit is not cut', async () => {
  await using peer = await startPeer((_request, response) => response.end('12345'))
  await expect(fetchAt(peer)(url, { maxResponseBytes: 5 })).resolves.toMatchObject({ truncated: false })
  await expect(fetchAt(peer)(url, { maxResponseBytes: 4 })).resolves.toMatchObject({ truncated: true })
})

test('a proxy in the environment is not used', async () => {
  await using proxy = await startPeer()
  await using peer = await startPeer()
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY']) {
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
  }
  await fetchAt(peer)(url).finally(() => vi.unstubAllEnvs())
  expect([proxy.connections, peer.connections]).toEqual([0, 1])
})

test('a call inside a transaction is refused without sending anything', async () => {
  await using peer = await startPeer()
  const sending = insideTransaction(() => fetchAt(peer)(url))
  await expect(sending).rejects.toMatchObject({ name: 'TransactionMisuse' })
  expect(peer.connections).toBe(0)
})

test('NO-08 no error contains more of the URL than its origin', async () => {
  await using peer = await startPeer((request) => request.socket.destroy())
  await using moved = await startPeer((_request, response) => response.writeHead(303, { location: url }).end())
  const errors = await Promise.all([
    fetchAt(peer)(url).catch((error: unknown) => error),
    fetchAt(moved)(url, { redirects: 1 }).catch((error: unknown) => error),
    createSafeFetch({ resolve: fakeResolve({}) })(url).catch((error: unknown) => error),
    createSafeFetch()('https://user:secret-word@hooks.example/secret-path').catch((error: unknown) => error),
    createSafeFetch()('secret-path').catch((error: unknown) => error),
    createSafeFetch()('http://127.0.0.1/secret-path').catch((error: unknown) => error),
  ])
  for (const error of errors) {
    expect(error).toHaveProperty('name', 'SafeFetchError')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret')
  }
})
