import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { watchProcessFaults } from '#test/process-faults.ts'
import { createHops } from '../credentials/hop.ts'
import { Incoming } from './incoming.ts'
import { type Listener, listen } from './listen.ts'
import { addressList, createInfoReader } from './request-info.ts'

/** `|` stands where the client waits until the server has read what it sent. */
const REQUESTS: [how: string, request: string, body: string][] = [
  ['with its headers', 'content-length: 5\r\n\r\nhello', 'hello'],
  ['after its headers', 'content-length: 5\r\n\r\n|hello', 'hello'],
  ['in two parts', 'content-length: 5\r\n\r\nhel|lo', 'hello'],
  ['in chunks with its headers', 'transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 'hello'],
  ['in chunks, in two parts', 'transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n|2\r\nlo\r\n0\r\n\r\n', 'hello'],
  ['without waiting for 100', 'expect: 100-continue\r\ncontent-length: 5\r\n\r\nhello', 'hello'],
  ['of no bytes', 'content-length: 0\r\n\r\n', ''],
  ['that is absent', '\r\n', ''],
]

describe('OP-03 the body of a request', () => {
  let listener: Listener
  beforeAll(async () => {
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      readInfo: createInfoReader({
        trustedProxies: addressList([]),
        hops: createHops('ab'.repeat(32), testClock()),
      }),
      onError: () => {},
      fetch: async (request) => new Response(await READERS[new URL(request.url).pathname]!(request)),
    })
  })
  afterAll(() => listener[Symbol.asyncDispose]())

  const READERS: Record<string, (request: Request) => Promise<string>> = {
    '/bytes': async (request) => Buffer.from(await request.arrayBuffer()).toString(),
    '/stream': async (request) => Buffer.concat(await Array.fromAsync(request.body ?? [])).toString(),
    '/one-part': async (request) => {
      const reader = request.body!.getReader()
      await reader.read()
      // Meanwhile more of the upload arrives.
      for (let n = 0; n < 5; n++) await (await fetch(`${listener.url}/bytes`)).text()
      for (let n = 0; n < 3; n++) await reader.read()
      await reader.cancel(new Error('enough'))
      return 'enough'
    },
    '/twice': async (request) => {
      const text = await request.text()
      return request.text().catch(() => text)
    },
  }

  /** Sends the parts, then a second request on the same connection, and returns all that comes back. */
  async function send(path: string, rest: string): Promise<string> {
    const client = connect({ port: listener.port, host: '127.0.0.1' })
    const received: Buffer[] = []
    client.on('data', (bytes: Buffer) => void received.push(bytes))
    const [first = '', ...later] = `POST ${path} HTTP/1.1\r\nhost: x\r\n${rest}`.split('|')
    client.write(first)
    for (const part of later) {
      await fetch(`${listener.url}/bytes`)
      client.write(part)
    }
    client.write('POST /bytes HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n\r\nnext')
    await once(client, 'close')
    return Buffer.concat(received).toString()
  }

  it.each(
    REQUESTS.flatMap(([how, request, body]) =>
      ['/bytes', '/stream', '/twice'].map((path) => [how, path, request, body] as const),
    ),
  )('%s is read whole by %s, and the next request too', async (_, path, request, body) => {
    const answers = (await send(path, request)).split('HTTP/1.1 200 OK\r\n').slice(1)
    expect(answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual([body, 'next'])
  })

  it('OP-09 of an upload that a handler stops reading ends nothing but that upload', async () => {
    using watch = watchProcessFaults()
    const uploads = Array.from({ length: 16 }, async () => {
      const client = connect({ port: listener.port, host: '127.0.0.1' }).on('error', () => {})
      client.write('POST /one-part HTTP/1.1\r\nhost: x\r\ncontent-length: 8000000\r\n\r\n')
      client.write(Buffer.alloc(8_000_000))
      const [answer] = await once(client, 'data')
      client.destroy()
      return String(answer).slice(0, 15)
    })
    expect(await Promise.all(uploads)).toEqual(Array(16).fill('HTTP/1.1 200 OK'))
    expect(watch.faults).toEqual([])
  })
})

test('OP-09 data that is buffered when a reader cancels the body ends nothing but that body', async () => {
  using watch = watchProcessFaults()
  const incoming = new Incoming(new Socket())
  for (let n = 0; n < 10; n++) incoming.push(Buffer.alloc(30_000))
  const reader = Readable.toWeb(incoming).getReader()
  for (let n = 0; n < 4; n++) await reader.read()
  await reader.cancel(new Error('enough'))
  await nextTurn()
  expect(watch.faults).toEqual([])
  expect(incoming.destroyed).toBe(true)
})
