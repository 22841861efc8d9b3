import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { createSafeFetch } from './safe-fetch.ts'

const [firstIp, secondIp] = ['93.184.216.34', '93.184.216.35']

function redirect(status: number, location: string): RequestListener {
  return (_request, response) => response.writeHead(status, { location }).end('moved')
}

function fetchBetween(first: Peer, second: Peer) {
  return createSafeFetch({
    resolve: fakeResolve({
      'a.example': [[firstIp]],
      'b.example': [[secondIp]],
      'inside.example': [['10.0.0.5']],
      'rebind.example': [[firstIp], ['10.0.0.5']],
    }),
    connect: fakeConnect({ [firstIp]: first, [secondIp]: second, '10.0.0.5': second, '127.0.0.1': second }),
  })
}

const post = { method: 'POST', body: '[1]', headers: { 'x-svc-signature': 'v1=aa' } } as const

test.each([301, 302, 307, 308])('NO-08 a %d is followed with method, body and signature kept', async (status) => {
  await using first = await startPeer(redirect(status, 'https://b.example/there?x=1'))
  await using second = await startPeer()
  const answer = await fetchBetween(first, second)('https://a.example/', { ...post, redirects: 3 })
  expect(answer.status).toBe(200)
  expect(second.received).toMatchObject([
    { method: 'POST', path: '/there?x=1', body: '[1]', headers: { host: 'b.example', 'x-svc-signature': 'v1=aa' } },
  ])
})

test('by default no redirect is followed, and the error has its status', async () => {
  await using first = await startPeer(redirect(307, 'https://b.example/'))
  await using second = await startPeer()
  const sending = fetchBetween(first, second)('https://a.example/', post)
  await expect(sending).rejects.toMatchObject({ reason: 'redirect', status: 307, sent: false })
  expect(second.connections).toBe(0)
})

test('NO-08 a 303 is refused', async () => {
  await using first = await startPeer(redirect(303, 'https://b.example/'))
  await using second = await startPeer()
  const sending = fetchBetween(first, second)('https://a.example/', { ...post, redirects: 3 })
  await expect(sending).rejects.toMatchObject({ reason: 'redirect', status: 303, sent: false })
  expect(second.connections).toBe(0)
})

test('NO-08 a redirect from https to http is refused, and one from http to https followed', async () => {
  await using down = await startPeer(redirect(307, 'http://b.example/'))
  await using up = await startPeer(redirect(307, 'https://b.example/'))
  await using second = await startPeer()
  const downward = fetchBetween(down, second)('https://a.example/', { ...post, redirects: 3 })
  await expect(downward).rejects.toMatchObject({ reason: 'redirect', sent: false })
  expect(second.connections).toBe(0)
  const upward = fetchBetween(up, second)('http://a.example/', { ...post, redirects: 3 })
  await expect(upward).resolves.toMatchObject({ status: 200 })
})

test.each([
  ['http://127.0.0.1:8080/', 'refused_address'],
  ['http://inside.example/', 'refused_address'],
  ['http://rebind.example/', 'refused_address'],
  ['//169.254.169.254/latest', 'refused_address'],
  ['http://user:pass@b.example/', 'refused_url'],
  ['ftp://b.example/', 'refused_url'],
  ['http://b.example:25/', 'refused_url'],
  ['http://nowhere.example/', 'dns'],
])('NO-08 a redirect to %s is refused: %s', async (location, reason) => {
  await using first = await startPeer(redirect(307, location))
  await using second = await startPeer()
  const sending = fetchBetween(first, second)('http://rebind.example/', { ...post, redirects: 3 })
  await expect(sending).rejects.toMatchObject({ reason, sent: false })
  expect([first.connections, second.connections]).toEqual([1, 0])
})

test('a redirect without a Location is refused', async () => {
  await using first = await startPeer((_request, response) => response.writeHead(302).end())
  const sending = fetchBetween(first, first)('http://a.example/', { ...post, redirects: 1 })
  await expect(sending).rejects.toMatchObject({ reason: 'redirect', status: 302 })
})

test('NO-08 at most three redirects are followed', async () => {
  await using first = await startPeer(redirect(302, '/again'))
  const sending = fetchBetween(first, first)('http://a.example/', { ...post, redirects: 3 })
  await expect(sending).rejects.toMatchObject({ reason: 'redirect', status: 302 })
  expect(first.received.map(({ path }) => path)).toEqual(['/', '/again', '/again', '/again'])
})

test('credentials are not sent to another origin', async () => {
  await using first = await startPeer((request, response) =>
    redirect(307, request.url === '/' ? '/next' : 'http://b.example/')(request, response),
  )
  await using second = await startPeer()
  const headers = { Authorization: 'Bearer t', cookie: 'c=1', 'Api-Key': 'k', 'x-kept': 'yes' }
  await fetchBetween(first, second)('http://a.example/', { headers, redirects: 3 })
  expect(first.received[1]?.headers).toMatchObject({ authorization: 'Bearer t', cookie: 'c=1', 'api-key': 'k' })
  expect(second.received[0]?.headers).toMatchObject({ 'x-kept': 'yes' })
  expect(Object.keys(second.received[0]!.headers)).not.toContain('api-key')
  expect(Object.keys(second.received[0]!.headers)).not.toContain('authorization')
  expect(Object.keys(second.received[0]!.headers)).not.toContain('cookie')
})

test('a redirect whose body never ends is followed without waiting', async () => {
  await using first = await startPeer((_request, response) => {
    response.writeHead(307, { location: 'http://b.example/' }).write('moving')
  })
  await using second = await startPeer()
  const answer = await fetchBetween(first, second)('http://a.example/', { ...post, redirects: 1 })
  expect(answer.status).toBe(200)
})
