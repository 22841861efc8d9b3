import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import { AppCounts } from '../../../src/server/areas/apps/counts/app-counts.ts'
import { AppDoor } from '../../../src/server/areas/apps/door/app-door.ts'
import { createSocketSeries } from '../../../src/server/areas/apps/door/socket-series.ts'
import { startRawPeer } from '../outside/raw-peer.ts'
import { seeded } from '../seeded.ts'
import { until } from '../until.ts'
import { hostileAnswer, speak } from './hostile-answers.ts'

/** A door with apps at ports of this machine. */
export async function openTestDoor(
  folder: string,
  apps: Record<string, number>,
  script?: string,
  trustedProxies: readonly string[] = [],
) {
  const errors: string[] = []
  const sockets = new Set<() => void>()
  const registry = new Registry()
  const counts = new AppCounts()
  let underWay = 0
  const door = await AppDoor.open({
    settings: {
      host: '127.0.0.1',
      port: 0,
      domain: 'apps.test',
      isSecure: false,
      trustedProxies,
      hopSecret: 'ab'.repeat(32),
    },
    log: { warn: () => {}, error: (details, message) => void errors.push(`${message} ${JSON.stringify(details)}`) },
    series: createSocketSeries(registry),
    counts,
    pidFile: (port) => join(folder, `${port}.pid`),
    ...(script !== undefined && { script }),
  })
  door.serve(async (label) => {
    const port = apps[label]
    if (port === undefined) return { to: { type: 'unknown' } }
    const begin = () => {
      underWay++
      return () => void underWay--
    }
    const beginSocket = (close: () => void) => {
      sockets.add(close)
      return () => void sockets.delete(close)
    }
    return { to: { type: 'app', address: { host: '127.0.0.1', port } }, begin, beginSocket }
  })
  const ask = (label: string, path = '/', headers = {}, body?: Buffer) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const method = body ? 'POST' : 'GET'
      const host = `${label}.apps.test`
      const asked = send(
        { host: '127.0.0.1', port: door.port, path, method, headers: { host, ...headers }, agent: false },
        (response) => void text(response).then((read) => resolve({ status: response.statusCode!, body: read }), reject),
      )
      asked.on('error', reject).end(body)
    })
  const statusOf = (...asked: Parameters<typeof ask>) =>
    ask(...asked).then(
      ({ status }) => status,
      () => 'broken',
    )
  return {
    door,
    ask,
    statusOf,
    errors,
    /** Attaches the deploy that answers at the port of an app, and collects its label if it ends the door. */
    attach: (label: string, harmful: string[]) => {
      const deploy = { deployId: label, onHarmful: () => void harmful.push(label) }
      return door.attach({ host: '127.0.0.1', port: apps[label]! }, deploy)
    },
    underWay: () => underWay,
    /** The WebSockets of apps that are open or being opened. */
    openSockets: () => sockets.size,
    /** Closes them as a switch of revisions does. */
    closeSockets: () => {
      for (const close of sockets) close()
    },
    metrics: () => registry.metrics(),
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  }
}

export async function startHealthyApp() {
  const server = createServer((_, response) => void response.end('well'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((done) => server.close(() => done()))
  }
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close }
}

/** Lets a hostile app give generated answers through a door, a third of them to uploads. */
export async function meetHostileAnswers(folder: string, count: number, seed: number) {
  const random = seeded(seed)
  let asked = 0
  await using healthy = await startHealthyApp()
  await using hostile = await startRawPeer((socket) => speak(socket, hostileAnswer(random)))
  await using opened = await openTestDoor(folder, { hostile: hostile.port, healthy: healthy.port })
  await opened.door.start()
  const upload = Buffer.alloc(200_000)
  const ask = async () => {
    while (asked < count) await opened.statusOf('hostile', `/${asked}`, {}, asked++ % 3 === 0 ? upload : undefined)
  }
  await Promise.all(Array.from({ length: 32 }, ask))
  await until(() => opened.underWay() === 0)
  return { errors: opened.errors, underWay: opened.underWay(), healthy: (await opened.ask('healthy')).body }
}

/** Kills the door again and again and returns for how long no request to a healthy app was answered, in milliseconds. */
export async function measureOutages(folder: string, rounds: number): Promise<number[]> {
  await using healthy = await startHealthyApp()
  await using opened = await openTestDoor(folder, { healthy: healthy.port })
  await opened.door.start()
  const outages: number[] = []
  for (let n = 0; n < rounds; n++) {
    await until(async () => (await opened.statusOf('healthy')) === 200)
    process.kill(opened.door.pid!, 'SIGKILL')
    const began = performance.now()
    await until(() => opened.errors.length === n + 1)
    await until(async () => (await opened.statusOf('healthy')) === 200)
    outages.push(Math.round(performance.now() - began))
  }
  return outages
}
