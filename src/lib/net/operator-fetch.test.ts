import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startPeer } from '#test/outside/internet.ts'
import { insideTransaction } from '../db/transaction-guard.ts'
import { createOperatorFetch, OperatorFetchError } from './operator-fetch.ts'

// Self-signed for localhost, good for a hundred years, trusted by nobody.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgySJLTuFO7gCNBPYx
EC5v+eCyEXd+2ISe20SVs8FvGWuhRANCAAQ+KCbqYgwCmi6LyqF8kI2Yml4PD4WQ
IbBYJYWGoLJge5HfgFm59u/7gy4/aYDRfusbResEBidMekP9/aO3k2qv
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUc3WBBGadjxjGebGSqlu0/eZ5m50wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTAxNTYzMloYDzIxMjYxMDIy
MDE1NjMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ+KCbqYgwCmi6LyqF8kI2Yml4PD4WQIbBYJYWGoLJge5HfgFm59u/7
gy4/aYDRfusbResEBidMekP9/aO3k2qvo2kwZzAdBgNVHQ4EFgQUZifFETUYCEA2
m0IvuxpwJCv1CCEwHwYDVR0jBBgwFoAUZifFETUYCEA2m0IvuxpwJCv1CCEwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAPdf8Md8hIun49c3WTA0/NjjGCA1249whyHGSI7LcCi3AiEAp3VoKNW7
RF04Ff8Qak4x+NKzkIstds1Crn0Ue3BwHGc=
-----END CERTIFICATE-----`

const streamed = (text: string) => ({ body: new Blob([text]).stream(), duplex: 'half' })

test('a request and its response are passed on whole, with streamed bodies', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(201, 'Made', { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' }).end('made')
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(
    new Request(`http://127.0.0.1:${peer.port}/a?b=c`, {
      method: 'PUT',
      headers: { 'x-two': '2' },
      ...streamed('one two'),
    }),
  )
  expect(answer).toBeInstanceOf(Response)
  expect([answer.status, answer.statusText, answer.headers.get('x-one')]).toEqual([201, 'Made', '1'])
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await answer.text()).toBe('made')
  expect(peer.received).toMatchObject([{ method: 'PUT', path: '/a?b=c', body: 'one two', headers: { 'x-two': '2' } }])
})

test('an answer can be read while it is still being written', async () => {
  const firstRead = Promise.withResolvers<void>()
  await using peer = await startPeer((_request, response) => {
    response.write('first')
    void firstRead.promise.then(() => response.end('second'))
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  const seen: string[] = []
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    seen.push(chunk)
    firstRead.resolve()
  }
  expect(seen).toEqual(['first', 'second'])
})

test('connections are reused', async () => {
  await using peer = await startPeer()
  await using operatorFetch = createOperatorFetch()
  for (let sent = 0; sent < 10; sent += 1) {
    await (await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))).text()
  }
  expect(peer.received).toHaveLength(10)
  // A body's end is seen a moment before its connection is free again, so a second one may be opened.
  expect(peer.connections).toBeLessThan(4)
})

test.each([301, 302, 303, 307, 308])('a %d is an answer and is not followed', async (status) => {
  await using peer = await startPeer((_request, response) => response.writeHead(status, { location: '/b' }).end('x'))
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/a`, { method: 'POST', body: '1' }))
  expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([status, '/b', 'x'])
  expect(peer.received).toHaveLength(1)
})

test.each([204, 304, 401, 421, 500])('a %d is an answer, to a streamed body too', async (status) => {
  await using peer = await startPeer((_request, response) => response.writeHead(status).end())
  await using operatorFetch = createOperatorFetch()
  const init = { method: 'POST', ...streamed('x') } as RequestInit
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`, init))
  expect([answer.status, await answer.text()]).toEqual([status, ''])
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  [' GZip ', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('a response that is encoded as %j is decoded and has no encoding headers', async (encoding, encode) => {
  await using peer = await startPeer((_request, response) => {
    const body = encode('plain text')
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body)
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  expect([answer.headers.get('content-encoding'), answer.headers.get('content-length')]).toEqual([null, null])
  expect(await answer.text()).toBe('plain text')
})

test.each([
  ['is broken off', (body: Buffer) => body.subarray(0, -9)],
  ['is something else', () => Buffer.from('plain text')],
])('an encoded response that %s is an error for whoever reads it', async (_, change) => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(change(gzipSync('plain text')))
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  await expect(answer.text()).rejects.toThrow()
})

test('an encoded response can be read while it is still being written', async () => {
  const firstRead = Promise.withResolvers<void>()
  await using peer = await startPeer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const encoder = createGzip()
    encoder.pipe(response)
    encoder.write('first')
    encoder.flush()
    void firstRead.promise.then(() => encoder.end('second'))
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  const seen: string[] = []
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    seen.push(chunk)
    firstRead.resolve()
  }
  expect(seen).toEqual(['first', 'second'])
})

test('the answer to HEAD keeps its headers and has no body', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '30' }).end()
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`, { method: 'HEAD' }))
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['30', ''])
})

test('an encoding that is unknown is left to the caller', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'rot13' }).end('cynva')
  })
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual(['rot13', 'cynva'])
})

test.each([
  ['a text', { body: 'one two' }, '7'],
  ['bytes', { body: new Uint8Array(3) }, '3'],
  ['an empty text', { body: '' }, '0'],
  ['no body', {}, '0'],
  ['a stream of one part that is there', streamed('one two'), '7'],
])('the length of %s is sent', async (_, init, length) => {
  await using peer = await startPeer()
  await using operatorFetch = createOperatorFetch()
  await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`, { method: 'POST', ...init }))
  expect(peer.received[0]!.headers).toMatchObject({ 'content-length': length })
})

test('parts of a body are sent as they come, and the first of them with the head', async () => {
  const seen: string[] = []
  const firstSeen = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.on('data', (part) => {
      seen.push(String(part))
      firstSeen.resolve()
    })
    request.on('end', () => response.end(seen.join(' ')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      await nextTurn()
      await nextTurn()
      controller.enqueue(Buffer.from('first'))
      await firstSeen.promise
      controller.enqueue(Buffer.from('second'))
      controller.close()
    },
  })
  await using operatorFetch = createOperatorFetch()
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, init))
  expect(await answer.text()).toBe('first second')
  server.close()
})

test('a body that nobody reads on is cancelled', async () => {
  const cancelled = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const server = createServer(() => stopping.abort(new Error('enough'))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.alloc(1024))
    },
    cancel: () => cancelled.resolve(),
  })
  await using operatorFetch = createOperatorFetch()
  const init = { method: 'POST', body, duplex: 'half', signal: stopping.signal } as RequestInit
  const sending = operatorFetch(new Request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, init))
  await expect(sending).rejects.toThrow('enough')
  await cancelled.promise
  server.close()
})

test.each([
  ['a refused connection', () => {}],
  ['an answer before its end', (socket: Socket) => socket.end('HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n')],
])('a streamed body is cancelled after %s', async (what, answer) => {
  const cancelled = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  if (what === 'a refused connection') server.close()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await nextTurn()
      controller.enqueue(Buffer.alloc(1024))
    },
    cancel: () => cancelled.resolve(),
  })
  await using operatorFetch = createOperatorFetch()
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const sending = operatorFetch(new Request(`http://127.0.0.1:${port}/`, init))
  if (what === 'a refused connection') await expect(sending).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  else expect((await sending).status).toBe(413)
  await cancelled.promise
  server.close()
})

test('a body that fails is an error', async () => {
  await using peer = await startPeer()
  await using operatorFetch = createOperatorFetch()
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the file is gone')) })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const sending = operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`, init))
  await expect(sending).rejects.toMatchObject({ cause: { message: 'the file is gone' } })
})

test('an abort by the caller is thrown unchanged and closes the connection', async () => {
  const controller = new AbortController()
  const dropped = Promise.withResolvers<void>()
  await using peer = await startPeer((_request, response) => {
    response.on('close', dropped.resolve)
    controller.abort(new Error('enough'))
  })
  await using operatorFetch = createOperatorFetch()
  const request = new Request(`http://127.0.0.1:${peer.port}/`, { signal: controller.signal })
  await expect(operatorFetch(request)).rejects.toThrow('enough')
  await dropped.promise
})

test('an abort after the head ends the body', async () => {
  const controller = new AbortController()
  await using peer = await startPeer((_request, response) => void response.write('first'))
  await using operatorFetch = createOperatorFetch()
  const answer = await operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`, { signal: controller.signal }))
  controller.abort(new Error('enough'))
  await expect(answer.text()).rejects.toThrow('enough')
})

test('a refused connection is an error with a cause that names the origin only', async () => {
  const gone = await startPeer()
  await gone[Symbol.asyncDispose]()
  await using operatorFetch = createOperatorFetch()
  const error: unknown = await operatorFetch(new Request(`http://127.0.0.1:${gone.port}/secret?secret`)).catch((e) => e)
  expect(error).toBeInstanceOf(OperatorFetchError)
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  expect(inspect(error, { depth: 10 })).toContain(`http://127.0.0.1:${gone.port}`)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret')
})

test('a peer that never answers is an error after the headers timeout', async () => {
  await using peer = await startPeer(() => {})
  await using operatorFetch = createOperatorFetch({ headersTimeoutMs: 50 })
  const sending = operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`))
  await expect(sending).rejects.toMatchObject({
    name: 'OperatorFetchError',
    cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
  })
})

test('a certificate is trusted through `ca` and not without', async () => {
  const server = createTlsServer({ key, cert }, (_request, response) => response.end('safe')).listen(0)
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  await using trusting = createOperatorFetch({ ca: cert })
  await using wary = createOperatorFetch()
  expect(await (await trusting(new Request(url))).text()).toBe('safe')
  await expect(wary(new Request(url))).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } })
  server.close()
})

test('a call inside a transaction is refused without sending anything', async () => {
  await using peer = await startPeer()
  await using operatorFetch = createOperatorFetch()
  const sending = insideTransaction(() => operatorFetch(new Request(`http://127.0.0.1:${peer.port}/`)))
  await expect(sending).rejects.toMatchObject({ name: 'TransactionMisuse' })
  expect(peer.connections).toBe(0)
})
