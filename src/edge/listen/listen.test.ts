import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { until } from '#test/until.ts'
import { createHops } from '../credentials/hop.ts'
import { type Listener, listen } from './listen.ts'
import { addressList, createInfoReader } from './request-info.ts'

const TIMEOUTS = { headersMs: 50, bodyCheckMs: 10, stalledMs: 100, keepAliveMs: 100, lingerMs: 50 }
const LARGE = 'x'.repeat(64 * 1024 * 1024)

describe('OP-03 a connection that is timed out', () => {
  let listener: Listener
  let clients: Socket[]
  let answerSlowly: () => void
  beforeEach(async () => {
    clients = []
    const slow = new Promise<void>((resolve) => {
      answerSlowly = resolve
    })
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      timeouts: TIMEOUTS,
      bodyRateOf: () => ({ bytesPerSecond: 1000, windowSeconds: 0.1 }),
      readInfo: createInfoReader({
        trustedProxies: addressList([]),
        hops: createHops('ab'.repeat(32), testClock()),
      }),
      onError: () => {},
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/body') await request.text()
        if (pathname === '/slow') await slow
        return new Response(pathname === '/large' ? LARGE : 'answered')
      },
    })
  })
  afterEach(async () => {
    for (const client of clients) client.destroy()
    await listener[Symbol.asyncDispose]()
  })

  /** Sends the text and then neither reads nor closes: it answers our end with nothing. */
  async function sendAndHold(text: string): Promise<Socket> {
    const client = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true })
    clients.push(client)
    client.on('error', () => {})
    await once(client, 'connect')
    client.write(text)
    return client
  }

  /** Connections are accepted in order: once a later one is answered or cut off, the earlier ones are known too. */
  async function untilAccepted(): Promise<void> {
    const client = await sendAndHold('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    client.resume()
    await new Promise((resolve) => client.once('end', resolve).once('close', resolve))
    client.destroy()
  }

  const gone = () => until(async () => (await listener.openConnections()) === 0)

  it.each([
    ['sends nothing', ''],
    ['stops in its headers', 'GET / HTTP/1.1\r\nhost: x\r\nx-half: '],
    ['stops in its body', 'POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc'],
    ['stops in a chunk of its body', 'POST /body HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'],
    [
      'breaks its body',
      'POST /body HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcdeNOT-A-CHUNK\r\n\r\n',
    ],
    ['is no HTTP', 'NONSENSE\r\n\r\n'],
    ['does not read its answer', 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['asks to close and does not read its answer', 'GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['is idle after its answer', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['breaks after a good request', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n\0\0GARBAGE\r\n\r\n'],
    [
      'stops in the body of a second request',
      'GET / HTTP/1.1\r\nhost: x\r\n\r\nPOST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc',
    ],
  ])('is destroyed when its client %s and never closes', async (_, text) => {
    await sendAndHold(text)
    await untilAccepted()
    await gone()
  })

  it('answers that the headers took too long if the client reads', async () => {
    // On a busy machine the server may not have read the half request yet when it ends a silent connection.
    const answer = await until(async () => {
      const client = await sendAndHold('GET / HTTP/1.1\r\nhost: x\r\nx-half: ')
      let text = ''
      client.on('data', (chunk) => {
        text += chunk.toString()
      })
      await new Promise((resolve) => client.once('end', resolve).once('close', resolve))
      return text === '' ? undefined : text
    })
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/)
  })

  it('stays open while its answer is being prepared, however long that takes', async () => {
    const client = await sendAndHold('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
    const others = Array.from({ length: 3 }, () => sendAndHold(''))
    await Promise.all(others)
    // The others are timed out in the meantime, so the limits have passed for this one as well.
    await until(async () => (await listener.openConnections()) === 1)
    answerSlowly()
    const [chunk] = (await once(client, 'data')) as [Buffer]
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('OP-03 a listener that stops', () => {
  const open = (fetch: () => Promise<Response>) =>
    listen({
      host: '127.0.0.1',
      port: 0,
      timeouts: { stopGraceMs: 50 },
      readInfo: createInfoReader({ trustedProxies: addressList([]), hops: createHops('ab'.repeat(32), testClock()) }),
      onError: () => {},
      fetch,
    })

  it('takes new requests while it drains, and closes each connection after its answer', async () => {
    await using listener = await open(async () => new Response('answered'))
    const connectionOf = async () => {
      const client = connect({ port: listener.port, host: '127.0.0.1' })
      client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      const [chunk] = (await once(client, 'data')) as [Buffer]
      client.destroy()
      return /^connection: (.*)$/im.exec(chunk.toString())?.[1]
    }
    expect(await connectionOf()).toBe('keep-alive')
    listener.drain()
    expect([await connectionOf(), await connectionOf()]).toEqual(['close', 'close'])
  })

  it('cuts a request that does not end in time', async () => {
    const asked = Promise.withResolvers<void>()
    const listener = await open(() => {
      asked.resolve()
      return new Promise(() => {})
    })
    const client = connect({ port: listener.port, host: '127.0.0.1' })
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    client.resume()
    await asked.promise
    const closed = once(client, 'close')
    await listener[Symbol.asyncDispose]()
    await closed
    await expect(once(connect(listener.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  })
})
