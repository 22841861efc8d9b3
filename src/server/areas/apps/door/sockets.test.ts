import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accepting,
  answerToHandshake,
  maskedFrame,
  type OpenedSocket,
  onText,
  openWebSocket,
  sendHandshake,
  startSocketApp,
  textFrame,
} from '#test/door/socket-app.ts'
import { openTestDoor } from '#test/door/test-door.ts'
import { answerWith, startRawPeer } from '#test/outside/raw-peer.ts'
import { until } from '#test/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sockets-'))
const apps: Record<string, number> = {}
let shared: Awaited<ReturnType<typeof openTestDoor>>
beforeAll(async () => {
  // Trusts this machine as a proxy, so that tests choose the addresses of clients.
  shared = await openTestDoor(folder, apps, undefined, ['127.0.0.1'])
  await shared.door.start()
})
afterAll(async () => {
  await shared?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const startEcho = () => startSocketApp(({ socket }) => onText(socket, (text) => socket.write(textFrame(`got ${text}`))))

/** An app whose WebSockets the test speaks on itself. */
async function startSilent() {
  const opened: OpenedSocket[] = []
  const app = await startSocketApp((each) => {
    each.socket.resume()
    opened.push(each)
  })
  return { ...app, opened }
}

describe('AP-01 a WebSocket to an app', () => {
  it('carries texts both ways, and the headers of a handshake have the rules of any request', async () => {
    let seen: OpenedSocket['request']['headers'] = {}
    await using echo = await startSocketApp(({ request, socket }) => {
      seen = request.headers
      onText(socket, (text) => socket.write(textFrame(`got ${text}`)))
    })
    Object.assign(apps, { echo: echo.port })
    const sent = {
      cookie: 'svc_session=secret; a=1',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-user': 'root',
      origin: 'http://other.test',
    }
    const { socket, texts } = await openWebSocket(shared.door.port, 'echo', sent)
    socket.send('one')
    socket.send('two')
    await until(() => texts.length === 2)
    expect(texts).toEqual(['got one', 'got two'])
    expect(socket.protocol).toBe('chat')
    expect(seen).toMatchObject({
      host: `echo.apps.test:${shared.door.port}`,
      cookie: 'a=1',
      origin: 'http://other.test',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': `echo.apps.test:${shared.door.port}`,
      'x-forwarded-proto': 'http',
      'sec-websocket-protocol': 'chat',
    })
    socket.close(1000)
    await until(() => shared.openSockets() === 0)
  })

  it('is proven to the client by the door, and cookies of the app stay with its host', async () => {
    await using echo = await startEcho()
    Object.assign(apps, { echo: echo.port })
    const socket = sendHandshake(shared.door.port, 'echo')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    // The key of the example in RFC 6455 section 1.3, which the app never saw.
    expect(answer.toString().toLowerCase()).toContain('sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n')
    expect(answer.toString()).toContain('set-cookie: a=1\r\n')
    socket.destroy()
  })

  it('gets the bytes that came with its handshake, after the app accepted', async () => {
    await using echo = await startEcho()
    Object.assign(apps, { echo: echo.port })
    const socket = sendHandshake(shared.door.port, 'echo', { after: maskedFrame('early') })
    let read = ''
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString('latin1')
    })
    await until(() => read.endsWith('got early'))
    socket.destroy()
  })

  it('goes through the door of the worker, with the address of the client', async () => {
    let seen: string | undefined
    await using echo = await startSocketApp(({ request, socket }) => {
      seen = `${String(request.headers['x-forwarded-for'])} ${request.headers.host} ${request.url}`
      onText(socket, (text) => socket.write(textFrame(`got ${text}`)))
    })
    await using worker = await openTestDoor(folder, { echo: echo.port })
    await using gateway = await openTestDoor(folder, {}, undefined, ['127.0.0.1'])
    await Promise.all([worker.door.start(), gateway.door.start()])
    const address = { host: '127.0.0.1', port: worker.door.port }
    gateway.door.serve(async () => ({ to: { type: 'worker', address } }))
    const client = await openWebSocket(gateway.door.port, 'echo', { 'x-forwarded-for': '203.0.113.9' })
    client.socket.send('far')
    await until(() => client.texts.length === 1)
    expect(seen).toBe(`203.0.113.9 echo.apps.test:${gateway.door.port} /room?n=1`)
    worker.closeSockets()
    await until(client.end)
    expect(client.end()).toEqual({ code: 1012, wasClean: true })
  })

  it('is counted in the metrics of its app while it is open', async () => {
    await using echo = await startEcho()
    Object.assign(apps, { counted: echo.port })
    const { socket } = await openWebSocket(shared.door.port, 'counted')
    await until(async () => (await shared.metrics()).includes('svc_app_sockets{app="counted"} 1'))
    expect(shared.underWay()).toBe(0)
    socket.close(1000)
    await until(async () => (await shared.metrics()).includes('svc_app_sockets{app="counted"} 0'))
    expect(await shared.metrics()).toContain('svc_app_sockets_opened_total{app="counted"} 1')
  })
})

describe('AP-01 a handshake', () => {
  it.each<[string, NonNullable<Parameters<typeof answerToHandshake>[2]>, number]>([
    ['for another protocol', { upgrade: 'connection: Upgrade\r\nupgrade: h2c\r\n' }, 501],
    ['for several protocols', { upgrade: 'connection: Upgrade\r\nupgrade: h2c, websocket\r\n' }, 501],
    ['that does not name its connection', { upgrade: 'upgrade: websocket\r\nconnection: close\r\n' }, 501],
    ['of another version', { version: '8' }, 426],
    ['with a key that is too short', { key: 'c2hvcnQ=' }, 400],
    ['with two keys', { more: 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n' }, 400],
    ['by POST', { line: 'POST / HTTP/1.1' }, 400],
    ['with a body', { more: 'content-length: 5\r\n' }, 400],
    ['with a body of unknown length', { more: 'transfer-encoding: chunked\r\n' }, 400],
    ['of HTTP/1.0', { line: 'GET / HTTP/1.0' }, 400],
    ['with a path that has two spellings', { line: 'GET /a//b HTTP/1.1' }, 404],
    ['with two origins', { more: 'origin: http://a\r\norigin: http://b\r\n' }, 400],
    ['with a hundred headers', { more: 'x-a: b\r\n'.repeat(100) }, 431],
    ['with long headers', { more: `x-a: ${'b'.repeat(9_000)}\r\n` }, 431],
  ])('%s is refused and reaches no app', async (_, request, status) => {
    let reached = 0
    await using app = await startRawPeer(() => void reached++)
    Object.assign(apps, { app: app.port })
    const after = Buffer.from('GET /smuggled HTTP/1.1\r\nhost: app.apps.test\r\n\r\n')
    const more = `${request.more ?? ''}${status === 501 ? 'connection: close\r\n' : ''}`
    const answer = await answerToHandshake(shared.door.port, 'app', { ...request, more, after })
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
    expect(reached).toBe(0)
  })

  it.each([
    ['unknown', 404],
    ['down', 503],
  ])('for an app that is %s is answered %i', async (label, status) => {
    await using opened = await openTestDoor(folder, {})
    opened.door.serve(async (asked) => ({ to: { type: asked === 'down' ? 'not_running' : 'unknown' } }))
    // First by the placeholder, then by the process.
    expect(await answerToHandshake(opened.door.port, label)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    await opened.door.start()
    expect(await answerToHandshake(opened.door.port, label)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('behind a request that is not answered yet ends the connection', async () => {
    let asked = 0
    await using silent = await startRawPeer(() => void asked++)
    await using echo = await startEcho()
    Object.assign(apps, { silent: silent.port, echo: echo.port })
    const socket = sendHandshake(shared.door.port, 'silent', { upgrade: '' })
    await until(() => asked === 1)
    const handshake = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    socket.write(
      `GET / HTTP/1.1\r\nhost: echo.apps.test\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${handshake}\r\n`,
    )
    await once(socket, 'close')
    expect(socket.bytesRead).toBe(0)
    expect(echo.open()).toBe(0)
    await until(() => shared.underWay() === 0)
  })

  it.each([
    ['a proof for another key', accepting('AAAAAAAAAAAAAAAAAAAAAA=='), 502],
    ['no proof', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 502],
    ['another protocol', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 502],
    ['101 and nothing else', 'HTTP/1.1 101 X\r\n\r\n', 502],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', 502],
    ['long headers', `HTTP/1.1 101 X\r\nx-a: ${'b'.repeat(20_000)}\r\n\r\n`, 502],
    ['nothing', '', 502],
    ['an ordinary answer', 'HTTP/1.1 403 No\r\ncontent-length: 4\r\nalt-svc: h3=":1"\r\n\r\nmine', 403],
    ['an answer in parts', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n', 200],
    ['an order to our library', 'HTTP/1.1 204 No\r\nx-hono-already-sent: 1\r\n\r\n', 204],
  ])('that the app answers with %s opens nothing', async (_, bytes, status) => {
    await using app = await startRawPeer(answerWith(bytes))
    Object.assign(apps, { app: app.port })
    const answer = await answerToHandshake(shared.door.port, 'app', { after: maskedFrame('early') })
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer.toLowerCase()).toContain('connection: close\r\n')
    expect(answer.toLowerCase()).not.toContain('alt-svc')
    if (status === 403 || status === 200) expect(answer).toContain('mine')
    await until(() => shared.openSockets() === 0)
    expect(await shared.metrics()).not.toContain('svc_app_sockets{app="app"}')
    expect(shared.errors).toEqual([])
  })
})

describe('AP-01 the WebSockets of one app', () => {
  it('are at most 256, take no place of requests, and leave those of other apps', async () => {
    await using silent = await startSilent()
    await using echo = await startEcho()
    Object.assign(apps, { silent: silent.port, echo: echo.port })
    const sockets = Array.from({ length: 256 }, () => sendHandshake(shared.door.port, 'silent'))
    await until(() => silent.opened.length === 256)
    expect(await answerToHandshake(shared.door.port, 'silent')).toMatch(/^HTTP\/1\.1 503 /)
    expect(await shared.metrics()).toContain('svc_app_sockets_refused_total 1')
    const requests = await Promise.all(Array.from({ length: 100 }, () => shared.statusOf('silent')))
    expect(new Set(requests)).toEqual(new Set([200]))
    const other = await openWebSocket(shared.door.port, 'echo')
    other.socket.close()
    for (const socket of sockets) socket.destroy()
    await until(() => shared.openSockets() === 0)
    const again = await openWebSocket(shared.door.port, 'silent')
    again.socket.close()
  })

  it('are at most 128 of one client', async () => {
    await using silent = await startSilent()
    Object.assign(apps, { silent: silent.port })
    const from = (address: string) => ({ more: `x-forwarded-for: ${address}\r\n` })
    const sockets = Array.from({ length: 128 }, () => sendHandshake(shared.door.port, 'silent', from('203.0.113.9')))
    await until(() => silent.opened.length === 128)
    expect(await answerToHandshake(shared.door.port, 'silent', from('203.0.113.9'))).toMatch(/^HTTP\/1\.1 503 /)
    sockets.push(sendHandshake(shared.door.port, 'silent', from('203.0.113.10')))
    await until(() => silent.opened.length === 129)
    for (const socket of sockets) socket.destroy()
    await until(() => silent.open() === 0)
  })
})

describe('AP-01 a WebSocket that svc closes', () => {
  it('ends after the frame that is under way, with the code 1012', async () => {
    await using silent = await startSilent()
    Object.assign(apps, { silent: silent.port })
    const client = await openWebSocket(shared.door.port, 'silent')
    const { socket } = silent.opened[0]!
    const frame = textFrame('whole')
    socket.write(Buffer.concat([textFrame('first'), frame.subarray(0, 4)]))
    await until(() => client.texts.length === 1)
    shared.closeSockets()
    socket.write(frame.subarray(4))
    await until(client.end)
    expect(client.end()).toEqual({ code: 1012, wasClean: true })
    expect(client.texts).toEqual(['first', 'whole'])
    await until(() => silent.open() === 0)
    await until(() => shared.openSockets() === 0)
  })

  it('ends although the app sends half a frame and no more, and its client does not answer', async () => {
    await using silent = await startSilent()
    Object.assign(apps, { silent: silent.port })
    const half = sendHandshake(shared.door.port, 'silent')
    await until(() => silent.opened.length === 1)
    silent.opened[0]!.socket.write(Buffer.from([0x81, 100, 1]))
    const mute = sendHandshake(shared.door.port, 'silent')
    const ended = [half, mute].map((socket) => once(socket.resume(), 'close'))
    await until(() => silent.opened.length === 2)
    shared.closeSockets()
    await Promise.all(ended)
    await until(() => shared.openSockets() === 0)
  })

  it('is refused with 503 while the app has not accepted it', async () => {
    let asked = 0
    await using silent = await startRawPeer((socket) => void socket.once('data', () => void asked++))
    Object.assign(apps, { silent: silent.port })
    const answer = answerToHandshake(shared.door.port, 'silent')
    await until(() => asked === 1)
    shared.closeSockets()
    expect(await answer).toMatch(/^HTTP\/1\.1 503 /)
    await until(() => shared.openSockets() === 0)
  })

  it('is one that is open when the port closes, which does not wait for it', async () => {
    await using echo = await startEcho()
    await using opened = await openTestDoor(folder, { echo: echo.port })
    await opened.door.start()
    const client = await openWebSocket(opened.door.port, 'echo')
    await opened.door.closePort()
    await until(client.end)
    expect(client.end()).toEqual({ code: 1012, wasClean: true })
    expect(opened.openSockets()).toBe(0)
  })

  it('ends with the process that passes its bytes on', async () => {
    await using echo = await startEcho()
    await using opened = await openTestDoor(folder, { echo: echo.port })
    await opened.door.start()
    const client = await openWebSocket(opened.door.port, 'echo')
    await until(async () => (await opened.metrics()).includes('svc_app_sockets{app="echo"} 1'))
    process.kill(opened.door.pid!, 'SIGKILL')
    await until(client.end)
    expect(client.end()).toMatchObject({ code: 1006 })
    await until(() => opened.openSockets() === 0)
    expect(await opened.metrics()).toContain('svc_app_sockets{app="echo"} 0')
  })

  it('ends at once with its app, with what the app said', async () => {
    await using silent = await startSilent()
    Object.assign(apps, { silent: silent.port })
    const [crashed, closed] = [
      await openWebSocket(shared.door.port, 'silent'),
      await openWebSocket(shared.door.port, 'silent'),
    ]
    silent.opened[0]!.socket.resetAndDestroy()
    silent.opened[1]!.socket.end(Buffer.from([0x88, 2, 0x0f, 0xa1]))
    await until(() => crashed.end() && closed.end())
    expect(crashed.end()).toMatchObject({ code: 1006 })
    expect(closed.end()).toMatchObject({ code: 4001 })
    await until(() => shared.openSockets() === 0)
  })
})

describe('AP-01 a side of a WebSocket that does not read', () => {
  const MESSAGE = Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]), Buffer.alloc(65_536, 7)])
  const MESSAGES = 1_000

  it('stops the other side, and loses nothing when it goes on', async () => {
    await using silent = await startSilent()
    Object.assign(apps, { silent: silent.port })
    const client = sendHandshake(shared.door.port, 'silent')
    client.pause()
    await until(() => silent.opened.length === 1)
    const app = silent.opened[0]!.socket.pause()
    for (const side of [app, client]) for (let n = 0; n < MESSAGES; n++) side.write(MESSAGE)
    const total = MESSAGE.length * MESSAGES
    // Both are stopped when nothing has left either of them between two looks.
    const leftOf = () => `${app.writableLength} ${client.writableLength}`
    let before = ''
    await until(() => {
      const isStopped = before === leftOf() && app.writableLength < total
      before = leftOf()
      return isStopped
    })
    expect(app.writableLength).toBeGreaterThan(total / 2)
    expect(client.writableLength).toBeGreaterThan(total / 2)
    let read = 0
    client.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    client.resume()
    app.resume()
    await until(() => read > total && app.bytesRead > total)
    client.destroy()
    await until(() => shared.openSockets() === 0)
  })
})
