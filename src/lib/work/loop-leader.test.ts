import { once } from 'node:events'
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { openEars } from '#test/ears.ts'
import { openTestLoop } from '#test/loop.ts'
import { needs } from '#test/stores.ts'
import { testClock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { releaseLease, takeLease } from './lease.ts'
import { type Loop, runLoops } from './loop.ts'

let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const clock = testClock()
const FAR = new Date('2036-01-01T00:00:00.000Z')
const run = async (loop: Loop, over: Partial<Db> = {}) => {
  const onError = (_: string, error: unknown) => expect.fail(String(error))
  const running = await runLoops([loop], { db: { ...db, ...over }, clock, onError })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}
const notify = (channel: string) => db.query(sql`select pg_notify(${channel}, '')`)
const takeOver = (loop: string) =>
  takeLease(db, { name: `loop:${loop}`, holder: 'another', seconds: 15, now: clock.now() })

describe('a turn of a leader', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('holds the lease, and gives it back when it ends', async () => {
    const { loop, turn } = openTestLoop({ name: 'short', leader: true })
    const running = await run(loop)
    const first = await turn(1)
    expect(await takeOver('short')).toBeUndefined()
    first.finish(FAR)
    await running[Symbol.asyncDispose]()
    expect(await takeOver('short')).toMatchObject({ holder: 'another', fence: 2 })
  })

  it('keeps the lease for as long as it runs', async () => {
    const { loop, turn } = openTestLoop({ name: 'long', leader: true })
    await run(loop)
    const first = await turn(1)
    for (let renewed = 1; renewed <= 4; renewed += 1) {
      clock.advance(5_000)
      vi.advanceTimersByTime(5_000)
      const until = new Date(clock.now().getTime() + 15_000)
      const renewal = sql`select 1 from svc.leases where name = 'loop:long' and expires_at = ${until}`
      while ((await db.query(renewal)).length === 0) await nextRound()
      expect(await takeOver('long')).toBeUndefined()
    }
    expect(first.signal.aborted).toBe(false)
    first.finish(FAR)
  })

  it('is told to stop when another has the lease', async () => {
    const { loop, turn } = openTestLoop({ name: 'lost', leader: true })
    await run(loop)
    const first = await turn(1)
    clock.advance(15_000)
    expect(await takeOver('lost')).toMatchObject({ fence: 2 })
    const aborted = once(first.signal, 'abort')
    vi.advanceTimersByTime(5_000)
    await aborted
    first.finish(FAR)
  })

  it('is told to stop when another had the lease meanwhile, and then leaves it free', async () => {
    const { loop, turn } = openTestLoop({ name: 'overtaken', leader: true })
    const running = await run(loop)
    const first = await turn(1)
    clock.advance(15_000)
    await releaseLease(db, (await takeOver('overtaken'))!)
    const aborted = once(first.signal, 'abort')
    vi.advanceTimersByTime(5_000)
    await aborted
    first.finish(FAR)
    await running[Symbol.asyncDispose]()
    expect(await takeOver('overtaken')).toMatchObject({ holder: 'another' })
  })

  it('is told to stop when the lease cannot be renewed', async () => {
    let reachable = true
    const query: Db['query'] = (statement) =>
      reachable ? db.query(statement) : Promise.reject(new Error('unreachable'))
    const { loop, turn } = openTestLoop({ name: 'cut off', leader: true })
    await run(loop, { query })
    const first = await turn(1)
    reachable = false
    const aborted = once(first.signal, 'abort')
    vi.advanceTimersByTime(5_000)
    await aborted
    reachable = true
    first.finish(FAR)
  })

  it('that ends during a renewal leaves the lease free all the same', async () => {
    const [asked, go, renewed] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    let hold = false
    const query: Db['query'] = async (statement) => {
      if (!hold) return db.query(statement)
      hold = false
      asked!.resolve()
      await go!.promise
      return db.query<never>(statement).finally(() => renewed!.resolve())
    }
    const { loop, turn } = openTestLoop({ name: 'renewing', leader: true })
    const running = await run(loop, { query })
    const first = await turn(1)
    await Promise.all(Array.from({ length: 5 }, () => db.query(sql`select 1`)))
    hold = true
    vi.advanceTimersByTime(5_000)
    await asked!.promise
    first.finish(FAR)
    // Long enough for the lease to be given back, were nobody waiting for the renewal.
    for (let rounds = 0; rounds < 20; rounds += 1) await db.query(sql`select 1`)
    go!.resolve()
    await renewed!.promise
    await running[Symbol.asyncDispose]()
    expect(await takeOver('renewing')).toMatchObject({ holder: 'another' })
  })
})

needs('postgres')('a leader’s loop in two processes', () => {
  it('runs in one while the other waits, and in the other when the one has stopped', async () => {
    const one = openTestLoop({ name: 'shared', leader: true })
    const two = openTestLoop({ name: 'shared', leader: true, wakeOn: 'shared' })
    const ears = openEars()
    const query: Db['query'] = async (statement) => {
      const rows = await db.query<never>(statement)
      ears.onNotify('answered')
      return rows
    }
    const running = await run(one.loop)
    const first = await one.turn(1)
    await run(two.loop, { query })
    await ears.until(1)
    await nextRound()
    await notify('shared')
    await ears.until(2)
    await nextRound()
    expect(two.turns).toHaveLength(0)
    first.finish(FAR)
    await running[Symbol.asyncDispose]()
    await notify('shared')
    ;(await two.turn(1)).finish(FAR)
    expect(one.turns).toHaveLength(1)
  })

  it('never runs twice at once, however often both are woken', async () => {
    const seen = { now: 0, most: 0, total: 0 }
    const loop: Loop = {
      name: 'crowded',
      leader: true,
      wakeOn: 'crowded',
      tick: async () => {
        seen.now += 1
        seen.most = Math.max(seen.most, seen.now)
        await db.query(sql`select pg_sleep(0.002)`)
        seen.now -= 1
        seen.total += 1
        return FAR
      },
    }
    await run(loop)
    await run(loop)
    while (seen.total < 20) await notify('crowded')
    expect(seen.most).toBe(1)
  })
})
