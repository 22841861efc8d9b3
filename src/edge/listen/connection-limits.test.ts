import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { until } from '#test/until.ts'
import { createHops } from '../credentials/hop.ts'
import { type ListenOptions, listen } from './listen.ts'
import { addressList, createInfoReader } from './request-info.ts'

const open = (limits: Pick<ListenOptions, 'connections' | 'headers'>) =>
  listen({
    host: '127.0.0.1',
    port: 0,
    readInfo: createInfoReader({ trustedProxies: addressList([]), hops: createHops('ab'.repeat(32), testClock()) }),
    onError: () => {},
    fetch: async () => new Response('answered'),
    ...limits,
  })

/** Sends a request and returns how its answer begins, which is nothing if the connection was ended. */
async function ask(port: number, localAddress: string, headers = ''): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${headers}connection: close\r\n\r\n`)
  const answer = await text(socket).catch(() => '')
  return answer.slice(0, 'HTTP/1.1 200'.length)
}

/** Opens a connection that sends no request, and waits until the other side has it. */
async function hold(port: number, localAddress: string) {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {})
  await once(socket, 'connect')
  return { [Symbol.dispose]: () => void socket.destroy() }
}

test('OP-03 an address over its limit of connections is refused, and others are answered', async () => {
  const perAddress = (address: string) => (address === '127.0.0.2' ? 1 : 10)
  await using listener = await open({ connections: { total: 100, perAddress } })
  using _held = await hold(listener.port, '127.0.0.2')
  expect(await ask(listener.port, '127.0.0.2')).toBe('')
  expect(await ask(listener.port, '127.0.0.3')).toBe('HTTP/1.1 200')
})

test('OP-03 connections over the limit of the port are refused until others have ended', async () => {
  await using listener = await open({ connections: { total: 1, perAddress: () => 10 } })
  {
    using _held = await hold(listener.port, '127.0.0.2')
    expect(await ask(listener.port, '127.0.0.3')).toBe('')
  }
  await until(async () => (await ask(listener.port, '127.0.0.3')) === 'HTTP/1.1 200')
})

test.each([
  ['too many', 'x-a: b\r\n'.repeat(30)],
  ['too long', `x-a: ${'b'.repeat(3_000)}\r\n`],
])('OP-03 headers that are %s for the port are refused', async (_, headers) => {
  await using listener = await open({ headers: { maxBytes: 2_048, maxCount: 20 } })
  expect(await ask(listener.port, '127.0.0.1', headers)).toBe('HTTP/1.1 431')
  expect(await ask(listener.port, '127.0.0.1')).toBe('HTTP/1.1 200')
})
