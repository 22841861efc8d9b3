import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lendConnections } from './lend-connections.ts'

const LIMIT_MS = 10_000

/** A pool of one connection at a time. Remembers with what each was released. */
function createPool() {
  const releases: unknown[] = []
  const pool = {
    options: { max: 1 },
    ending: false,
    connect: vi.fn(async () => {
      const client = new EventEmitter() as unknown as pg.PoolClient
      client.release = (reason) => void releases.push(reason ?? 'kept')
      return client
    }),
  }
  return { pool, releases, ...lendConnections(pool as unknown as pg.Pool, LIMIT_MS) }
}

describe('connections of a reader', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('pass from one caller to the next in turn, and go to the pool soon after the last', async () => {
    const { pool, releases, take, giveBack } = createPool()
    const first = await take()
    const others = [take(), take()]
    giveBack(first)
    expect(await others[0]).toBe(first)
    giveBack(first)
    expect(await others[1]).toBe(first)
    expect(releases).toEqual([])
    giveBack(first)
    expect(await take()).toBe(first)
    giveBack(first)
    expect(releases).toEqual([])
    vi.advanceTimersByTime(20)
    expect(releases).toEqual(['kept'])
    expect(pool.connect).toHaveBeenCalledTimes(1)
  })

  it('are lent until they are back in the pool', async () => {
    const { take, giveBack, isLent } = createPool()
    const first = await take()
    giveBack(first)
    expect(isLent(first)).toBe(true)
    vi.advanceTimersByTime(20)
    expect(isLent(first)).toBe(false)
  })

  it.each(['lost', 'of a pool that ends'])('are not kept for the next caller when they are %s', async (how) => {
    const { pool, releases, take, giveBack } = createPool()
    const first = await take()
    giveBack(first)
    if (how === 'lost') first.emit('error', new Error('gone'))
    pool.ending = how === 'of a pool that ends'
    expect(await take()).not.toBe(first)
    expect(releases).toEqual(['kept'])
  })

  it('go to the pool after a second, also while callers wait', async () => {
    const { releases, take, giveBack } = createPool()
    const first = await take()
    const next = take()
    vi.advanceTimersByTime(1_000)
    giveBack(first)
    expect(releases).toEqual(['kept'])
    expect(await next).not.toBe(first)
  })

  it.each(['broken', 'lost', 'of a pool that ends'])('are not passed on when they are %s', async (how) => {
    const { pool, releases, take, giveBack } = createPool()
    const first = await take()
    const next = take()
    const broken = how === 'broken' ? new Error('broken') : undefined
    if (how === 'lost') first.emit('error', new Error('gone'))
    pool.ending = how === 'of a pool that ends'
    giveBack(first, broken)
    expect(releases).toEqual([broken ?? 'kept'])
    expect(await next).not.toBe(first)
  })

  it('are waited for as long as the limit, and the next caller gets what comes later', async () => {
    const { take, giveBack } = createPool()
    const first = await take()
    const late = expect(take()).rejects.toThrow('timeout exceeded when trying to connect')
    await vi.advanceTimersByTimeAsync(LIMIT_MS)
    await late
    const next = take()
    giveBack(first)
    expect(await next).toBeInstanceOf(EventEmitter)
  })

  it('that come too late for their caller go to the next one', async () => {
    const { pool, take, giveBack } = createPool()
    const first = await take()
    const { promise, resolve } = Promise.withResolvers<pg.PoolClient>()
    pool.connect.mockReturnValueOnce(promise)
    const late = expect(take()).rejects.toThrow('timeout')
    giveBack(first, new Error('broken'))
    await vi.advanceTimersByTimeAsync(LIMIT_MS - 1)
    const client = new EventEmitter() as unknown as pg.PoolClient
    const timely = take()
    await vi.advanceTimersByTimeAsync(1)
    await late
    resolve(client)
    expect(await timely).toBe(client)
  })

  it('that cannot be made fail their caller and not the next one', async () => {
    const { pool, take } = createPool()
    pool.connect.mockRejectedValueOnce(new Error('refused'))
    const [first, next] = [take(), take()]
    await expect(first).rejects.toThrow('refused')
    expect(await next).toBeInstanceOf(EventEmitter)
  })
})
