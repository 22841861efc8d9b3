import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerWith, startRawPeer } from '#test/outside/raw-peer.ts'
import { watchProcessFaults } from '#test/process-faults.ts'
import type { Resolve } from './connector.ts'
import { openOutgoingProxy } from './outgoing-proxy.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'))
const path = join(folder, 'proxy.sock')
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.215.14'],
  'private.example': ['10.1.2.3'],
  'both.example': ['93.184.215.14', '127.0.0.1'],
}
const resolve: Resolve = async (name) => {
  if (!NAMES[name]) throw new Error('no such name')
  return NAMES[name].map((address) => ({ address, family: 4 }))
}

let upstream: Server
let port: number
let requests: { message: IncomingMessage; body: string }[] = []
let proxy: AsyncDisposable
let refusals: string[] = []
let dialled: string[] = []

beforeAll(async () => {
  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await text(message)
    requests.push({ message, body })
    response.writeHead(207, [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Connection', 'close, X-Hop'],
      ['X-Hop', '1'],
    ])
    response.end(`seen ${body}`)
  }
  upstream = createServer((message, response) => void answer(message, response))
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  port = (upstream.address() as AddressInfo).port
})
afterAll(() => {
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  requests = []
  refusals = []
  dialled = []
  proxy = await openOutgoingProxy(path, {
    ownOrigin: `http://localhost:${port}`,
    onRefused: (reason) => refusals.push(reason),
    resolve,
    dial: (target) => {
      dialled.push(target.addresses?.map(({ address }) => `${address}:${target.port}`).join() ?? 'own')
      return connect(port, '127.0.0.1')
    },
  })
})
afterEach(() => proxy[Symbol.asyncDispose]())

/** Sends bytes to the proxy and returns everything that it answers. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(path)
  socket.write(bytes)
  return text(socket)
}
const connectTo = (target: string, then = '') =>
  exchange(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${then}`)
const REQUEST = 'GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'

describe('CONNECT', () => {
  it('reaches a public address, with what was sent along, and pins the address that was vetted', async () => {
    const answer = await connectTo('public.example:443', REQUEST)
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 207 /)
    expect(dialled).toEqual(['93.184.215.14:443'])
  })

  it.each([
    ['127.0.0.1:8080', '127.0.0.1 is not a public address'],
    ['[::1]:443', '::1 is not a public address'],
    ['[::ffff:10.0.0.1]:443', '::ffff:a00:1 is not a public address'],
    ['169.254.169.254:80', '169.254.169.254 is not a public address'],
    ['localhost:8081', 'localhost is not a public address'],
    ['app--org.localhost:8081', 'app--org.localhost is not a public address'],
    ['private.example:443', 'private.example is not a public address'],
    ['both.example:443', 'both.example is not a public address'],
    ['public.example:25', 'http://public.example:25: this port is not allowed'],
    [
      'user:secret@public.example:443',
      'http://public.example:443: a user name or password in the address is not allowed',
    ],
  ])('refuses %s and reports it', async (target, reason) => {
    const answer = await connectTo(target)
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toContain(reason)
    expect(refusals).toEqual([reason])
    expect(dialled).toEqual([])
  })

  it('answers 502 for a name that does not exist, which is no refusal', async () => {
    expect(await connectTo('gone.example:443')).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(refusals).toEqual([])
  })

  it.each(['localhost', '127.0.0.1'])('reaches our own origin as %s', async (name) => {
    expect(await connectTo(`${name}:${port}`, REQUEST)).toContain('HTTP/1.1 207 ')
    expect(dialled).toEqual(['own'])
  })

  it('refuses other ports of the machine that our own origin is on', async () => {
    const other = createTcpServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port: otherPort } = other.address() as AddressInfo
    expect(await connectTo(`localhost:${otherPort}`)).toMatch(/^HTTP\/1\.1 403 /)
    expect(await connectTo(`127.0.0.1:${otherPort}`)).toMatch(/^HTTP\/1\.1 403 /)
    expect(dialled).toEqual([])
    other.close()
  })

  it('ends its connections when it is closed', async () => {
    const socket = connect(path)
    socket.write('CONNECT public.example:443 HTTP/1.1\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')
    await proxy[Symbol.asyncDispose]()
    await closed
  })
})

describe('a request with a whole address', () => {
  const send = (target: string, extra = '') =>
    exchange(
      `POST ${target} HTTP/1.1\r\nHost: public.example\r\nConnection: close\r\nContent-Length: 2\r\n${extra}\r\nhi`,
    )

  it('is passed on with method, path, body and headers, except those of the connection', async () => {
    const answer = await send(
      'http://public.example/a?b=c',
      'Proxy-Authorization: Basic x\r\nProxy-Connection: close\r\nX-Kept: yes\r\n',
    )
    expect(answer).toContain('seen hi')
    expect(answer.match(/Set-Cookie: (\S+)/g)).toEqual(['Set-Cookie: a=1', 'Set-Cookie: b=2'])
    expect(answer).not.toContain('X-Hop')
    const [{ message, body }] = requests as [{ message: IncomingMessage; body: string }]
    expect(message).toMatchObject({ method: 'POST', url: '/a?b=c' })
    expect(body).toBe('hi')
    expect(message.headers).toMatchObject({ host: 'public.example', 'x-kept': 'yes' })
    expect(message.headers).not.toHaveProperty('proxy-authorization')
    expect(dialled).toEqual(['93.184.215.14:80'])
  })

  it.each(['GET', 'DELETE', 'POST'])(
    'OP-09 carries the body of a %s, which is no request of its own',
    async (method) => {
      const inner = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
      const head = `${method} http://localhost:${port}/a HTTP/1.1\r\nHost: h\r\nConnection: close`
      const body = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
      expect(await exchange(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)).toContain('HTTP/1.1 207 ')
      expect(requests.map(({ message, body: read }) => [message.url, read])).toEqual([['/a', inner]])
    },
  )

  it.each([
    ['http://private.example/', 'private.example is not a public address'],
    ['https://public.example/', 'only http addresses and CONNECT are allowed'],
    ['/relative', 'only http addresses and CONNECT are allowed'],
  ])('is refused for %s', async (target, reason) => {
    expect(await send(target)).toMatch(/^HTTP\/1\.1 403 /)
    expect(refusals).toEqual([reason])
    expect(dialled).toEqual([])
  })
})

describe('a server that is reached through the proxy', () => {
  it.each([
    ['status 099', 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nhi', 502],
    ['status 000', 'HTTP/1.1 000 Odd\r\n\r\n', 502],
    ['a header that cannot be passed on', 'HTTP/1.1 200 OK\r\nx-odd: a\0b\r\n\r\nhi', 502],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\n\r\nhi', 502],
    ['an upgrade that nobody asked for', 'HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\nhi', 502],
    ['no HTTP', 'SSH-2.0-odd\r\n\r\n', 502],
    ['nothing', '', 502],
    ['status 999', 'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi', 999],
  ])('OP-09 answers with %s, and the process goes on', async (_, answer, status) => {
    using watch = watchProcessFaults()
    await using peer = await startRawPeer(answerWith(answer))
    await using _other = await openOutgoingProxy(`${path}-raw`, {
      ownOrigin: `http://localhost:${peer.port}`,
      onRefused: () => {},
    })
    const socket = connect(`${path}-raw`)
    socket.write(`GET http://localhost:${peer.port}/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
    expect((await text(socket)).slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    expect(watch.faults).toEqual([])
  })
})
