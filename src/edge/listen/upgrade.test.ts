import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { until } from '#test/until.ts'
import { createHops } from '../credentials/hop.ts'
import { type ListenOptions, listen } from './listen.ts'
import { addressList, createInfoReader } from './request-info.ts'

const open = (options: Partial<ListenOptions>) =>
  listen({
    host: '127.0.0.1',
    port: 0,
    readInfo: createInfoReader({ trustedProxies: addressList([]), hops: createHops('ab'.repeat(32), testClock()) }),
    onError: () => {},
    fetch: async () => new Response('plain'),
    ...options,
  })

const UPGRADE = 'GET /a HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: WebSocket\r\n\r\n'

function send(port: number, bytes: string) {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
  socket.write(bytes)
  return socket
}

test('AP-01 a connection that is taken over gives its place to others, and does not delay the end of the port', async () => {
  const listener = await open({
    connections: { total: 1, perAddress: () => 1 },
    timeouts: { stopGraceMs: 0 },
    upgrade: async (_, __, takeOver) => {
      const { socket, head } = takeOver()
      socket.write(`taken ${head.toString()}`)
      return undefined
    },
  })
  const taken = send(listener.port, `${UPGRADE}more`)
  expect(String((await once(taken, 'data'))[0])).toBe('taken more')
  const others = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
  expect(await text(send(listener.port, others))).toContain('plain')
  const ended = once(taken, 'close')
  await listener[Symbol.asyncDispose]()
  await ended
})

test('AP-01 an answer to a request for WebSocket is the last one on its connection', async () => {
  await using listener = await open({ upgrade: async ({ url }) => new Response(new URL(url).pathname) })
  const answer = await text(send(listener.port, `${UPGRADE}${UPGRADE}`))
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(answer).toMatch(/connection: close\r\n/i)
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test('AP-01 a fault while a WebSocket is asked for is answered with 500 and reported', async () => {
  const errors: unknown[] = []
  await using listener = await open({
    onError: (error) => void errors.push(error),
    upgrade: () => Promise.reject(new Error('broken')),
  })
  expect(await text(send(listener.port, UPGRADE))).toMatch(/^HTTP\/1\.1 500 /)
  await until(() => errors.length === 1)
})

test('AP-01 a port without WebSockets answers the request as any other', async () => {
  await using listener = await open({})
  const answer = await text(send(listener.port, UPGRADE.replace('Upgrade\r\n', 'Upgrade, close\r\n')))
  expect(answer).toContain('plain')
})
