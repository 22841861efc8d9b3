import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operation } from '#contract/core/operation.ts'
import { testClock } from '#lib/time/clock.ts'
import { until } from '#test/until.ts'
import { createHops } from '../credentials/hop.ts'
import { BodyRateMeter, createBodyRates } from './body-rate.ts'
import { type Listener, listen } from './listen.ts'
import { addressList, createInfoReader } from './request-info.ts'

const RATE = { bytesPerSecond: 1000, windowSeconds: 30 }

describe('OP-03 the meter of a body', () => {
  /** Each step is seconds later, bytes received in total, whether the server waits for the client. */
  const run = (steps: [seconds: number, bytes: number, isWaiting?: boolean][]) => {
    const meter = new BodyRateMeter(RATE, 0, 0)
    let nowMs = 0
    return steps.map(([seconds, bytes, isWaiting = true]) => {
      nowMs += seconds * 1000
      return meter.isTooSlow(nowMs, bytes, isWaiting)
    })
  }

  it('lets a body pass that brings a window of bytes in each window, however long it takes', () => {
    const hours = Array.from({ length: 1000 }, (_, n): [number, number] => [29, (n + 1) * 30_000])
    expect(run(hours)).not.toContain(true)
  })

  it('refuses a body that brings less', () => {
    expect(
      run([
        [10, 9_000],
        [10, 19_000],
        [10, 29_999],
      ]),
    ).toEqual([false, false, true])
  })

  it('a burst at the start buys no pause', () => {
    expect(
      run([
        [1, 1e9],
        [29, 1e9],
        [1, 1e9],
      ]),
    ).toEqual([false, false, true])
  })

  it('does not count the time in which the server does not read', () => {
    expect(
      run([
        [29, 0],
        [3600, 0, false],
        [0.5, 0],
        [0.5, 0],
      ]),
    ).toEqual([false, false, false, true])
  })
})

describe('OP-03 the rate of an operation', () => {
  const common = { kind: 'upload', summary: 'x', access: 'public', effect: 'write', consumes: ['a/b'] } as const
  const put = operation({
    ...common,
    name: 'test.put',
    method: 'PUT',
    path: '/apps/{alias}/source',
    bodyLimit: 1e9,
    minBodyRate: { bytesPerSecond: 4096, windowSeconds: 60 },
    input: z.object({ alias: z.string() }),
    output: z.object({}),
  })

  it('is its own, and the default for all others', () => {
    const rateOf = createBodyRates([put])
    expect(rateOf('PUT', '/apps/a/source')).toEqual({ bytesPerSecond: 4096, windowSeconds: 60 })
    for (const [method, path] of [
      ['POST', '/apps/a/source'],
      ['PUT', '/apps/a/b/source'],
      ['PUT', '/'],
    ]) {
      expect(rateOf(method!, path!)).toEqual({ bytesPerSecond: 1024, windowSeconds: 30 })
    }
  })
})

describe('OP-03 a body on a real connection', () => {
  let listener: Listener
  let nowMs: number
  let looks: number
  let received: number
  let startReading: () => void
  let client: Socket

  beforeEach(async () => {
    nowMs = 0
    looks = 0
    received = 0
    const begin = Promise.withResolvers<void>()
    startReading = begin.resolve
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      timeouts: { bodyCheckMs: 5 },
      bodyRateOf: () => RATE,
      nowMs: () => {
        looks += 1
        return nowMs
      },
      readInfo: createInfoReader({ trustedProxies: addressList([]), hops: createHops('ab'.repeat(32), testClock()) }),
      onError: () => {},
      fetch: async (request) => {
        await begin.promise
        for await (const chunk of request.body!) received += (chunk as Uint8Array).byteLength
        return new Response(`received ${received}`)
      },
    })
    client = connect({ port: listener.port, host: '127.0.0.1' })
    client.on('error', () => {})
    await once(client, 'connect')
  })
  afterEach(async () => {
    client.destroy()
    await listener[Symbol.asyncDispose]()
  })

  const begin = (length: number) => client.write(`PUT /x HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`)

  /** Sends bytes and waits until the handler has them. */
  const send = async (bytes: number) => {
    const before = received
    client.write('x'.repeat(bytes))
    await until(() => received === before + bytes)
  }

  /** Moves the clock and waits until the listener has looked at the rate. */
  const pass = async (seconds: number) => {
    nowMs += seconds * 1000
    const before = looks
    await until(() => looks > before + 1)
  }

  const answer = async () => {
    let text = ''
    client.on('data', (chunk) => {
      text += chunk.toString()
    })
    await until(() => /\r\n\r\n./.test(text))
    return text
  }

  it('that is slow but steady is received, also over an hour', async () => {
    startReading()
    begin(30_000 * 130)
    for (let n = 0; n < 130; n++) {
      await pass(29)
      await send(30_000)
    }
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [\s\S]*received 3900000$/)
  })

  it('that stops is refused with the rate it must have', async () => {
    startReading()
    begin(100_000)
    await send(10)
    await pass(30)
    const text = await answer()
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"BODY_TOO_SLOW"/)
    expect(text).toContain('The body arrived at less than 1000 bytes per second for 30 seconds.')
  })

  it('that the server does not read yet is not refused', async () => {
    begin(10)
    client.write('x')
    await pass(3600)
    startReading()
    await until(() => received === 1)
    client.write('x'.repeat(9))
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [\s\S]*received 10$/)
  })
})
