import { once } from 'node:events'
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { collectNotifications } from '#test/listen.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { openTestLoop } from '#test/work/loop.ts'
import type { Db } from '../db/db.ts'
import { openPostgres } from '../db/postgres.ts'
import { sql } from '../db/sql.ts'
import { testClock } from '../time/clock.ts'
import { type Lease, releaseLease, takeLease } from './lease.ts'
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
/** The lease of the loop, if it is free. */
const takeOver = (loop: string) => takeLease(db, `loop:${loop}`)
/** Moves the end of the loop's lease back by as many seconds. */
const age = (loop: string, seconds: number) =>
  db.query(sql`
    update svc.leases set expires_at = expires_at - make_interval(secs => ${seconds}) where name = ${`loop:${loop}`}`)
const secondsLeft = async (loop: string) => {
  const [row] = await db.query<{ seconds: number }>(sql`
    select extract(epoch from expires_at - clock_timestamp())::float8 as seconds
    from svc.leases where name = ${`loop:${loop}`}`)
  return row!.seconds
}

describe('a turn of a leader', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
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
    expect(await takeOver('short')).toBeDefined()
  })

  it('keeps the lease for as long as it runs', async () => {
    const { loop, turn } = openTestLoop({ name: 'long', leader: true })
    await run(loop)
    const first = await turn(1)
    for (let renewed = 1; renewed <= 4; renewed += 1) {
      await age('long', 10)
      vi.advanceTimersByTime(5_000)
      while ((await secondsLeft('long')) < 7) await nextRound()
      expect(await takeOver('long')).toBeUndefined()
    }
    expect(first.signal.aborted).toBe(false)
    first.finish(FAR)
  })

  it('is told to stop when another has the lease', async () => {
    const { loop, turn } = openTestLoop({ name: 'lost', leader: true })
    await run(loop)
    const first = await turn(1)
    await age('lost', 15)
    expect(await takeOver('lost')).toBeDefined()
    const aborted = once(first.signal, 'abort')
    vi.advanceTimersByTime(5_000)
    await aborted
    first.finish(FAR)
  })

  it('is told to stop when another had the lease meanwhile, and then leaves it free', async () => {
    const { loop, turn } = openTestLoop({ name: 'overtaken', leader: true })
    const running = await run(loop)
    const first = await turn(1)
    await age('overtaken', 15)
    await releaseLease(db, (await takeOver('overtaken')) as Lease)
    const aborted = once(first.signal, 'abort')
    vi.advanceTimersByTime(5_000)
    await aborted
    first.finish(FAR)
    await running[Symbol.asyncDispose]()
    expect(await takeOver('overtaken')).toBeDefined()
  })

  it('is told to stop when no renewal succeeded before the end of the lease', async () => {
    let reachable = true
    const query: Db['query'] = (statement) =>
      reachable ? db.query(statement) : Promise.reject(new Error('unreachable'))
    const { loop, turn } = openTestLoop({ name: 'cut off', leader: true })
    await run(loop, { query })
    const first = await turn(1)
    reachable = false
    const aborted = once(first.signal, 'abort')
    for (let step = 0; step < 3; step += 1) {
      expect(first.signal.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(5_000)
    }
    await aborted
    reachable = true
    first.finish(FAR)
  })

  it('that ends during a renewal releases the lease', async () => {
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
    expect(await takeOver('renewing')).toBeDefined()
  })
})

needs('postgres')('a leader’s loop in two processes', () => {
  it('runs in one while the other waits, and in the other when the one has stopped', async () => {
    const one = openTestLoop({ name: 'shared', leader: true })
    const two = openTestLoop({ name: 'shared', leader: true, wakeOn: 'shared' })
    const ears = collectNotifications()
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

  it.each([-10, 10])('runs in one of them when the clock of the other is %d minutes off', async (minutes) => {
    const name = `skewed ${minutes}`
    const one = openTestLoop({ name, leader: true })
    const two = openTestLoop({ name, leader: true, wakeOn: name })
    await run(one.loop)
    const first = await one.turn(1)
    await using otherDb = openPostgres({ url: opened.url!, onError: () => undefined })
    const refusals = collectNotifications()
    const query: Db['query'] = async (statement) => {
      const rows = await otherDb.query<never>(statement)
      if (statement.text.includes('insert into svc.leases') && rows.length === 0) refusals.onNotify('')
      return rows
    }
    const skewed = testClock(new Date(clock.now().getTime() + minutes * 60_000))
    const onError = (_: string, error: unknown) => expect.fail(String(error))
    await using _other = await runLoops([two.loop], { db: { ...otherDb, query }, clock: skewed, onError })
    for (const count of [1, 2, 3]) {
      await refusals.until(count)
      await nextRound()
      await notify(name)
    }
    expect(two.turns).toHaveLength(0)
    expect(first.signal.aborted).toBe(false)
    first.finish(FAR)
    await until(async () => {
      await notify(name)
      return two.turns.length === 1
    })
    two.turns[0]!.finish(FAR)
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
