import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { textFrame } from '#test/door/socket-app.ts'
import { until } from '#test/until.ts'
import { askUpgrade } from './ask-upgrade.ts'
import { TUNNEL_LIMITS } from './limits.ts'
import { Tunnel } from './tunnel.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const NOTHING = Buffer.alloc(0)
const MINUTE = 60_000

/** Two ends of one connection. */
async function connected(): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection')
  const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [near] = (await accepted) as [Socket]
  server.close()
  for (const socket of [near, far]) socket.on('error', () => {})
  return [near, far]
}

/** A tunnel between a client and an app that the test speaks for. */
async function openTunnel() {
  const [nearClient, client] = await connected()
  const [nearApp, app] = await connected()
  const tunnel = new Tunnel(
    { client: { socket: nearClient, head: NOTHING }, app: { socket: nearApp, head: NOTHING } },
    TUNNEL_LIMITS,
  )
  let hasEnded = false
  void tunnel.ended.then(() => {
    hasEnded = true
  })
  const read = { client: '', app: '' }
  client.on('data', (bytes: Buffer) => {
    read.client += bytes.toString('hex')
  })
  app.on('data', (bytes: Buffer) => {
    read.app += bytes.toString('hex')
  })
  return { tunnel, client, app, read, hasEnded: () => hasEnded, sides: [nearClient, nearApp] }
}

describe('AP-01 a WebSocket', () => {
  it('is closed with 1001 when no byte came for ten minutes', async () => {
    const { client, read, hasEnded } = await openTunnel()
    vi.advanceTimersByTime(9 * MINUTE)
    client.write('a')
    await until(() => read.app === '61')
    vi.advanceTimersByTime(9 * MINUTE)
    expect(read.client).toBe('')
    vi.advanceTimersByTime(MINUTE)
    await until(() => read.client === '880203e9')
    vi.advanceTimersByTime(1_000)
    await until(hasEnded)
  })

  it('is closed with 1012 after a day, however much is said', async () => {
    const { app, read, hasEnded } = await openTunnel()
    const frame = textFrame('a')
    for (let n = 1; n <= 180; n++) {
      vi.advanceTimersByTime(8 * MINUTE)
      if (n === 180) break
      app.write(frame)
      await until(() => read.client.length === n * frame.length * 2)
    }
    await until(() => read.client.endsWith('880203f4'))
    vi.advanceTimersByTime(1_000)
    await until(hasEnded)
  })

  it('ends when one side does not take what waits for it for a minute', async () => {
    const { client, app, sides, hasEnded } = await openTunnel()
    client.pause()
    app.write(Buffer.alloc(64_000_000))
    await until(() => sides[0]!.writableLength > 0 && sides[1]!.isPaused())
    vi.advanceTimersByTime(MINUTE)
    await until(hasEnded)
    for (const side of sides) expect(side.destroyed).toBe(true)
  })

  it('that is closed gets the frame that is under way whole, its close frame, and nothing after it', async () => {
    const { tunnel, client, app, read, hasEnded } = await openTunnel()
    const frame = textFrame('whole')
    app.write(frame.subarray(0, 4))
    await until(() => read.client.length === 8)
    tunnel.close(1012)
    app.write(Buffer.concat([frame.subarray(4), textFrame('too late')]))
    await until(() => read.client === `${frame.toString('hex')}880203f4`)
    // A close frame of a client ends it without waiting.
    client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 3, 0xf4]))
    client.once('end', () => client.end())
    await until(() => client.readableEnded || hasEnded())
    expect(read.app).toBe('')
    vi.advanceTimersByTime(1_000)
    await until(hasEnded)
  })

  it('passes on that one side has ended, and gives the other ten seconds', async () => {
    const { client, app, read, hasEnded } = await openTunnel()
    const ended = once(app, 'end')
    client.end('last')
    await ended
    expect(read.app).toBe(Buffer.from('last').toString('hex'))
    app.write('answer')
    await until(() => read.client === Buffer.from('answer').toString('hex'))
    expect(hasEnded()).toBe(false)
    vi.advanceTimersByTime(10_000)
    await until(hasEnded)
  })

  it('keeps nothing of one side that is more than two reads of the other', async () => {
    const { client, app, sides, hasEnded } = await openTunnel()
    client.pause()
    app.write(Buffer.alloc(64_000_000))
    await until(() => sides[1]!.isPaused())
    expect(sides[0]!.writableLength).toBeLessThanOrEqual(65_536)
    expect(sides[1]!.readableLength).toBeLessThanOrEqual(131_072)
    client.destroy()
    app.destroy()
    vi.advanceTimersByTime(10_000)
    await until(hasEnded)
  })

  it('is given up when the app does not answer its handshake for ten seconds', async () => {
    const [near, far] = await connected()
    const asked = askUpgrade({
      request: new Request('http://app/'),
      key: 'AAAAAAAAAAAAAAAAAAAAAA==',
      signal: new AbortController().signal,
      open: (callback) => {
        callback(null, near)
        return near
      },
    })
    const refused = expect(asked).rejects.toThrow('the app did not answer the handshake in time')
    await once(far, 'data')
    vi.advanceTimersByTime(10_000)
    await refused
    expect(near.destroyed).toBe(true)
    far.destroy()
  })
})
