import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '#test/free-port.ts'
import { collectNotifications } from '#test/listen.ts'
import { needs, stores } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { systemClock, testClock } from '../time/clock.ts'
import { type KeyValueStore, openMemoryStore } from './kv.ts'
import { withFallback } from './kv-fallback.ts'
import { openRedis } from './kv-redis.ts'

type Subject = {
  open: () => KeyValueStore
  /** Resolves when the condition holds; in memory, where the clock is ours, exactly after so many seconds. */
  after: (seconds: number, condition: () => Promise<boolean>) => Promise<void>
}

const TAKEN = undefined
const exhausted = (index: number) => ({ exhausted: index })

const clock = testClock()
const memory: Subject = {
  open: () => openMemoryStore(clock),
  after: async (seconds, condition) => {
    clock.advance(seconds * 1000)
    expect(await condition()).toBe(true)
  },
}
const redis: Subject = {
  open: () => openRedis(stores.redis!, (error) => expect.fail(String(error))),
  after: async (_seconds, condition) => void (await until(condition)),
}

describe('a store in memory', () => suite('memory', memory))
needs('redis')('a store in Redis', () => suite('redis', redis))

function suite(kind: KeyValueStore['kind'], { open, after }: Subject) {
  let kv: KeyValueStore
  const key = (name: string) => `${name} ${randomUUID()}`
  beforeAll(() => {
    kv = open()
  })
  afterAll(() => kv?.[Symbol.asyncDispose]())

  it('reports its kind and answers a ping', async () => {
    expect(kv.kind).toBe(kind)
    await kv.ping()
  })

  it('keeps a value until it expires, is overwritten or is deleted', async () => {
    const [one, two] = [key('one'), key('two')]
    expect(await kv.get(one)).toBeUndefined()
    await kv.set(one, 'ü "1"', 3600)
    await kv.set(two, '', 3600)
    expect([await kv.get(one), await kv.get(two)]).toEqual(['ü "1"', ''])
    await kv.set(one, 'short', 1)
    await after(1, async () => (await kv.get(one)) === undefined)
    expect(await kv.get(two)).toBe('')
    await kv.set(two, 'other', 3600)
    expect(await kv.get(two)).toBe('other')
    await kv.delete(two)
    await kv.delete(two)
    expect(await kv.get(two)).toBeUndefined()
  })

  it('counts each key separately, also under 50 concurrent calls', async () => {
    const [one, two] = [key('one'), key('two')]
    const counts = await Promise.all(Array.from({ length: 50 }, () => kv.count(one, 3600)))
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
    expect(await kv.count(two, 3600)).toBe(1)
    expect(await kv.get(one)).toBe('50')
  })

  it('restarts a count when its time after the first call is over, however often it is called meanwhile', async () => {
    const [long, short] = [key('long'), key('short')]
    expect([await kv.count(long, 3600), await kv.count(long, 3600)]).toEqual([1, 2])
    expect(await kv.count(short, 1)).toBe(1)
    // A count that moved the end of its window to an hour from now would never begin anew.
    await after(0.5, async () => (await kv.count(short, 3600)) >= 1)
    await after(0.5, async () => (await kv.count(short, 3600)) === 1)
  })

  it('counts in each quota window or in none, and says which one is exhausted', async () => {
    const [small, large] = [key('small'), key('large')]
    const windows = [
      { key: large, limit: 5, seconds: 3600, startCount: 0 },
      { key: small, limit: 2, seconds: 3600, startCount: 0 },
    ]
    const taken = await Promise.all(Array.from({ length: 4 }, () => kv.take(windows)))
    expect(taken).toEqual([TAKEN, TAKEN, exhausted(1), exhausted(1)])
    expect([await kv.get(small), await kv.get(large)]).toEqual(['2', '2'])
  })

  it('opens a quota window again when its time is over', async () => {
    const windows = [{ key: key('window'), limit: 1, seconds: 1, startCount: 0 }]
    expect(await kv.take(windows)).toEqual(TAKEN)
    await after(1, async () => (await kv.take(windows)) === TAKEN)
  })

  it('asks for a start count where a quota window does not exist yet, and uses the first one given', async () => {
    const window = { key: key('window'), limit: 9, seconds: 3600 }
    expect(await kv.take([{ ...window, startCount: 'unknown' }])).toEqual({ needsStartCount: 0 })
    expect(await kv.get(window.key)).toBeUndefined()
    expect(await kv.take([{ ...window, startCount: 7 }])).toEqual(TAKEN)
    expect(await kv.take([{ ...window, startCount: 0 }])).toEqual(TAKEN)
    expect(await kv.take([{ ...window, startCount: 0 }])).toEqual(exhausted(0))
    expect(await kv.take([{ ...window, startCount: 'unknown' }])).toEqual(exhausted(0))
    const full = { ...window, key: key('full') }
    expect(await kv.take([{ ...full, startCount: 9 }])).toEqual(exhausted(0))
    expect(await kv.take([{ ...full, startCount: 'unknown' }])).toEqual(exhausted(0))
  })

  it('lets exactly one of many callers set a key once, until the key expires', async () => {
    const [id, short] = [key('replay'), key('short')]
    const firsts = await Promise.all(Array.from({ length: 20 }, () => kv.setOnce(id, 3600)))
    expect(firsts.filter(Boolean)).toEqual([true])
    await kv.delete(id)
    expect(await kv.setOnce(id, 1)).toBe(true)
    expect(await kv.setOnce(short, 1)).toBe(true)
    await after(1, () => kv.setOnce(short, 3600))
    expect(await kv.setOnce(short, 3600)).toBe(false)
  })
}

describe('a store in the memory of one process', () => {
  it('forgets everything when it is closed, and shares nothing with another one', async () => {
    const [one, two] = [openMemoryStore(clock), openMemoryStore(clock)]
    await one.set('k', 'v', 60)
    expect(await two.get('k')).toBeUndefined()
    await one[Symbol.asyncDispose]()
    expect(await one.get('k')).toBeUndefined()
  })

  it('stays fast and correct with 100,000 live keys', async () => {
    await using kv = openMemoryStore(clock)
    await kv.set('first', 'kept', 3600)
    for (let n = 0; n < 50_000; n += 1) await kv.count(`key ${n}`, n % 2 === 0 ? 1 : 3600)
    clock.advance(1_000)
    for (let n = 0; n < 50_000; n += 1) await kv.setOnce(`other ${n}`, 3600)
    expect(await kv.get('first')).toBe('kept')
    expect([await kv.count('key 0', 1), await kv.count('key 1', 1)]).toEqual([1, 2])
  })
})

describe('OP-03 a store in memory under a flood of addresses', () => {
  it('keeps the newest 100,000 counters and every other entry', async () => {
    await using kv = openMemoryStore(clock)
    await kv.set('value', 'kept', 3600)
    await kv.setOnce('replay', 3600)
    await kv.take([{ key: 'window', limit: 1, seconds: 3600, startCount: 0 }])
    for (let n = 0; n < 250_000; n += 1) await kv.count(`limit ${n}`, 3600)
    const left: number[] = []
    for (let n = 0; n < 250_000; n += 1) if ((await kv.get(`limit ${n}`)) !== undefined) left.push(n)
    expect([left.length, left[0], left.at(-1)]).toEqual([100_000, 150_000, 249_999])
    expect([await kv.count('limit 249999', 3600), await kv.count('limit 0', 3600)]).toEqual([2, 1])
    expect(await kv.get('value')).toBe('kept')
    expect(await kv.setOnce('replay', 3600)).toBe(false)
    expect(await kv.take([{ key: 'window', limit: 1, seconds: 3600, startCount: 0 }])).toEqual(exhausted(0))
  })

  it('counts a key that expired and was used again among the newest', async () => {
    await using kv = openMemoryStore(clock)
    await kv.count('early', 1)
    await kv.count('late', 3600)
    clock.advance(1_000)
    await kv.count('early', 3600)
    for (let n = 0; n < 99_999; n += 1) await kv.count(`limit ${n}`, 3600)
    expect([await kv.get('late'), await kv.get('early')]).toEqual([undefined, '1'])
  })
})

needs('redis')('a Redis that refuses writes', () => {
  it('OP-03 fails its check, and is reported once however many calls it refuses', async () => {
    const port = await freePort()
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--maxmemory', '1']
    const refusing = spawn('redis-server', options, { stdio: 'ignore' })
    try {
      const changes: unknown[] = []
      const shared = openRedis(`redis://127.0.0.1:${port}`, () => {})
      await using kv = withFallback(shared, openMemoryStore(systemClock), {
        clock: systemClock,
        onChange: (cause) => changes.push(cause),
      })
      await until(async () => (await shared.get('any').catch(() => 'away')) === undefined)
      changes.length = 0
      for (let n = 0; n < 50; n++) await kv.count('k', 60)
      await expect(kv.ping()).rejects.toThrow('OOM')
      expect(changes.filter((cause) => cause === undefined)).toEqual([])
      expect(changes.length).toBeLessThan(2)
    } finally {
      refusing.kill()
      await once(refusing, 'exit')
    }
  })
})

describe('a Redis that cannot be reached', () => {
  it('reports the error and refuses calls instead of waiting', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const errors = collectNotifications()
    await using kv = openRedis(`redis://127.0.0.1:${port}`, (error) => errors.onNotify(String(error)))
    await expect(kv.count('k', 1)).rejects.toThrow()
    await expect(kv.ping()).rejects.toThrow()
    expect((await errors.until(1))[0]).toContain('ECONNREFUSED')
  })
})
