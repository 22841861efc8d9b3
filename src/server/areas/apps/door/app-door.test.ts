import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { accepting, answerToHandshake } from '#test/door/socket-app.ts'
import { meetHostileAnswers, openTestDoor, startHealthyApp } from '#test/door/test-door.ts'
import { startRawPeer } from '#test/outside/raw-peer.ts'
import { watchProcessFaults } from '#test/process-faults.ts'
import { until } from '#test/until.ts'

const SEED = 29
const ANSWERS = 1_000
const folder = mkdtempSync(join(tmpdir(), 'svc-door-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test(`OP-09 ${ANSWERS} answers of a hostile server (seed ${SEED}) end no process, and each request ends`, async () => {
  using watch = watchProcessFaults()
  expect(await meetHostileAnswers(folder, ANSWERS, SEED)).toEqual({ errors: [], underWay: 0, healthy: 'well' })
  expect(watch.faults).toEqual([])
})

test('OP-09 a door that is killed is started again, what was under way has ended, and svc goes on', async () => {
  using watch = watchProcessFaults()
  await using healthy = await startHealthyApp()
  await using silent = await startRawPeer(() => {})
  await using opened = await openTestDoor(folder, { healthy: healthy.port, silent: silent.port })
  await opened.door.start()
  for (let n = 0; n < 2; n++) {
    const waiting = opened.statusOf('silent')
    const probe = opened.door.attach({ host: '127.0.0.1', port: healthy.port })
    await until(() => opened.underWay() === 1)
    process.kill(opened.door.pid!, 'SIGKILL')
    expect(await waiting).toBe('broken')
    await until(() => opened.underWay() === 0)
    expect((await probe.fetch(new Request('http://app/'))).status).toBe(200)
    await until(async () => (await opened.statusOf('healthy')) === 200)
  }
  expect(opened.errors).toHaveLength(2)
  expect(watch.faults).toEqual([])
})

test('AP-02 each request of a visitor is counted once, with what became of it', async () => {
  const app = createServer((request, response) => {
    if (request.url === '/silent') return
    response.writeHead(request.url === '/bad' ? 503 : 200).end('answer')
  })
  await new Promise<void>((done) => app.listen(0, '127.0.0.1', done))
  await using closed = await startRawPeer((socket) => void socket.destroy())
  const ports = { shop: (app.address() as AddressInfo).port, closed: closed.port }
  await using opened = await openTestDoor(folder, ports)
  await opened.door.start()
  const [probe, shop] = [opened.door.attach({ host: '127.0.0.1', port: ports.shop }), 'shop']
  await probe.fetch(new Request('http://app/'))
  for (const path of ['/', '/', '/bad']) await opened.statusOf(shop, path)
  expect([await opened.statusOf('closed'), await opened.statusOf('nobody')]).toEqual([502, 404])
  await until(() => opened.underWay() === 0)
  const counted = async () =>
    (await opened.door.takeCounts()).map(({ label, requests, failed, latencies }) => ({
      label,
      requests,
      failed,
      answers: latencies.reduce((sum, count) => sum + count, 0),
    }))
  expect(await counted()).toEqual([
    { label: 'shop', requests: 3, failed: 1, answers: 3 },
    { label: 'closed', requests: 1, failed: 1, answers: 0 },
  ])
  await opened.door.reportOutcomes(false)
  await opened.statusOf(shop)
  await until(() => opened.underWay() === 0)
  expect(await counted()).toEqual([])
  await opened.door.reportOutcomes(true)
  const waiting = opened.statusOf(shop, '/silent')
  await until(() => opened.underWay() === 1)
  process.kill(opened.door.pid!, 'SIGKILL')
  expect(await waiting).toBe('broken')
  await until(() => opened.underWay() === 0)
  expect(await counted()).toEqual([{ label: 'shop', requests: 1, failed: 1, answers: 0 }])
  app.closeAllConnections()
  app.close()
})

test('OP-09 an app whose answers end the door is stopped, is asked nothing again, and no other app is', async () => {
  const asked: string[] = []
  const killer = createServer((request, response) => {
    asked.push(request.method!)
    response.writeHead(200, { 'x-kill': 'yes' }).end()
  })
  await new Promise<void>((done) => killer.listen(0, '127.0.0.1', done))
  const { port } = killer.address() as AddressInfo
  await using healthy = await startHealthyApp()
  await using silent = await startRawPeer((socket) => void socket.write('HTTP/1.1 200 OK\r\n'))
  await using opened = await openTestDoor(folder, { killer: port, silent: silent.port, healthy: healthy.port }, FRAGILE)
  const harmful: string[] = []
  opened.attach('killer', harmful)
  opened.attach('silent', harmful)
  await opened.door.start()
  for (const after of [[], ['killer']]) {
    const waiting = opened.statusOf('silent')
    await until(() => opened.underWay() === 1)
    expect(await opened.statusOf('killer', '/', {}, Buffer.from('an order'))).toBe('broken')
    expect(await waiting).toBe('broken')
    await until(async () => (await opened.statusOf('healthy')) === 200)
    await opened.door.judged()
    expect(harmful).toEqual(after)
  }
  expect(asked).toEqual(['POST', 'POST'])
  killer.close()
})

test('AP-01 an app whose answers to WebSockets end the door is stopped', async () => {
  let asked = 0
  await using killer = await startRawPeer((socket) => {
    socket.once('data', (bytes) => {
      asked++
      const key = /sec-websocket-key: (.*)\r\n/i.exec(bytes.toString())![1]!
      socket.write(accepting(key, 'x-kill: yes\r\n'))
    })
  })
  await using opened = await openTestDoor(folder, { killer: killer.port }, FRAGILE)
  const harmful: string[] = []
  opened.attach('killer', harmful)
  await opened.door.start()
  for (const after of [[], ['killer']]) {
    expect(await answerToHandshake(opened.door.port, 'killer')).toBe('')
    await until(async () => (await opened.statusOf('nobody')) === 404)
    await opened.door.judged()
    expect(harmful).toEqual(after)
  }
  expect(asked).toBe(2)
})

test('OP-09 an app that ends the door and itself is stopped, though it answers at another address each time', async () => {
  const harmful: string[] = []
  const apps: Record<string, number> = {}
  await using opened = await openTestDoor(folder, apps, FRAGILE)
  await opened.door.start()
  for (let deaths = 1; deaths <= 2; deaths++) {
    const attached = Promise.withResolvers<AsyncDisposable>()
    await using killer = await startRawPeer((socket) => {
      const answer = async () => {
        await (await attached.promise)[Symbol.asyncDispose]()
        socket.write('HTTP/1.1 200 OK\r\nx-kill: yes\r\n\r\n')
      }
      socket.once('data', () => void answer())
    })
    apps.killer = killer.port
    attached.resolve(opened.attach('killer', harmful))
    expect(await opened.statusOf('killer')).toBe('broken')
    await until(async () => (await opened.statusOf('nobody')) === 404)
    await opened.door.judged()
  }
  expect(harmful).toEqual(['killer'])
})

test('OP-09 a visitor who ends the door again and again gets no app stopped', async () => {
  await using healthy = await startHealthyApp()
  await using opened = await openTestDoor(folder, { healthy: healthy.port }, FRAGILE)
  const harmful: string[] = []
  opened.attach('healthy', harmful)
  await opened.door.start()
  for (const body of [undefined, Buffer.alloc(100_000)]) {
    // Its answer is recorded the second time.
    const before = opened.statusOf('healthy')
    expect(await opened.statusOf('healthy', '/', { 'x-kill': 'yes' }, body)).toBe('broken')
    await before
    await until(async () => (await opened.statusOf('healthy')) === 200)
    await opened.door.judged()
  }
  expect(harmful).toEqual([])
})

test('OP-09 no app is stopped while every door dies, whatever it reads', async () => {
  await using healthy = await startHealthyApp()
  await using opened = await openTestDoor(folder, { healthy: healthy.port }, SICKLY)
  const harmful: string[] = []
  opened.attach('healthy', harmful)
  await opened.door.start()
  for (let deaths = 1; deaths <= 2; deaths++) {
    expect(await opened.statusOf('healthy')).toBe('broken')
    await until(() => opened.errors.length === deaths)
    await opened.door.judged()
    await opened.door.start()
  }
  expect(harmful).toEqual([])
})

test('OP-09 a door that sends what is not of the protocol is ended, and svc goes on', async () => {
  using watch = watchProcessFaults()
  await using opened = await openTestDoor(folder, {}, LYING)
  await opened.door.start().catch(() => {})
  await until(() => opened.errors.length >= 2)
  expect(opened.errors[0]).toContain('it sent a line that is too long')
  expect(watch.faults).toEqual([])
})

test('OP-09 a door that does not read is ended, and a request has its slot until its lookup has ended', async () => {
  await using opened = await openTestDoor(folder, {}, DEAF)
  let lookups = 0
  opened.door.serve(() => {
    lookups++
    return new Promise(() => {})
  })
  await opened.door.start().catch(() => {})
  await until(() => opened.errors.length >= 2)
  expect(opened.errors[0]).toContain('it does not read what it is told')
  expect(lookups).toBe(128)
})

test('OP-09 the process for the bytes of apps reads and writes no file of svc and starts no process', async () => {
  await using opened = await openTestDoor(folder, {}, CURIOUS)
  writeFileSync(join(folder, 'secret'), 'secret')
  const facts = { path: join(folder, 'curious.sock'), ownOrigin: undefined, ownClientAddress: '127.0.0.1' }
  await expect(opened.door.openProxy(facts, () => {})).rejects.toThrow(
    'read ERR_ACCESS_DENIED, list ERR_ACCESS_DENIED, write ERR_ACCESS_DENIED, start ERR_ACCESS_DENIED, thread ERR_ACCESS_DENIED',
  )
})

test('OP-09 a way out that cannot be opened again keeps the door from no other app', async () => {
  await using healthy = await startHealthyApp()
  await using opened = await openTestDoor(folder, { healthy: healthy.port })
  const facts = (name: string) => ({ path: join(folder, name), ownOrigin: undefined, ownClientAddress: '127.0.0.1' })
  await using _broken = await opened.door.openProxy(facts('broken.sock'), () => {})
  await using _working = await opened.door.openProxy(facts('working.sock'), () => {})
  expect(statSync(facts('working.sock').path).mode & 0o777).toBe(0o666)
  rmSync(facts('broken.sock').path)
  mkdirSync(facts('broken.sock').path)
  process.kill(opened.door.pid!, 'SIGKILL')
  await until(() => opened.errors.length === 2)
  await opened.door.start()
  expect(opened.errors[1]).toContain('the way out of an app could not be opened again')
  expect(await answerAt(facts('working.sock').path)).toContain('HTTP/1.1 403 Forbidden')
  expect(await opened.statusOf('healthy')).toBe(200)
})

test('OP-09 one app takes 128 requests at once, and other apps are answered', async () => {
  await using healthy = await startHealthyApp()
  await using silent = await startRawPeer(() => {})
  await using opened = await openTestDoor(folder, { healthy: healthy.port, silent: silent.port })
  await opened.door.start()
  const waiting = Array.from({ length: 128 }, () => opened.statusOf('silent'))
  await until(() => opened.underWay() === 128)
  expect(await opened.statusOf('silent')).toBe(503)
  expect(await opened.statusOf('healthy')).toBe(200)
  process.kill(opened.door.pid!, 'SIGKILL')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['broken']))
})

test('OP-09 thousands of connections with unfinished headers do not end the door', async () => {
  await using healthy = await startHealthyApp()
  await using opened = await openTestDoor(folder, { healthy: healthy.port })
  await opened.door.start()
  const head = `GET / HTTP/1.1\r\nhost: healthy.apps.test\r\n${'x-a: b\r\n'.repeat(980)}`
  const sockets = await holdConnections(opened.door.port, head, { '127.0.0.2': 1_600, '127.0.0.3': 1_600 })
  for (const socket of sockets) socket.destroy()
  await until(async () => (await opened.statusOf('healthy')) === 200)
  expect(opened.errors).toEqual([])
})

/** Connects from addresses of this machine, sends a text, and resolves when all of it was sent or refused. */
async function holdConnections(port: number, sent: string, counts: Record<string, number>): Promise<Socket[]> {
  const sockets = Object.entries(counts).flatMap(([localAddress, count]) =>
    Array.from({ length: count }, () => connect({ host: '127.0.0.1', port, localAddress })),
  )
  const ends = sockets.map(
    (socket) =>
      new Promise<void>((done) => {
        socket.on('error', () => done()).on('close', () => done())
        socket.write(sent, () => done())
      }),
  )
  await Promise.all(ends)
  return sockets
}

async function answerAt(path: string): Promise<string> {
  const socket = connect(path)
  socket.write('CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n')
  return text(socket)
}

const FRAGILE = join(import.meta.dirname, '../../../../../test/help/door/fragile-door.ts')
const SICKLY = join(import.meta.dirname, '../../../../../test/help/door/sickly-door.ts')
const LYING = join(import.meta.dirname, '../../../../../test/help/door/lying-door.ts')
const DEAF = join(import.meta.dirname, '../../../../../test/help/door/deaf-door.ts')
const CURIOUS = join(import.meta.dirname, '../../../../../test/help/door/curious-door.ts')
