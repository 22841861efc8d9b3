import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { testClock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { openPostgres } from '../db/postgres.ts'
import { sql } from '../db/sql.ts'
import { type KeptLease, type Lease, releaseLease, takeLease, underLease } from './lease.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const clock = testClock()
const take = (name: string, holder: string, seconds = 10) =>
  takeLease(opened.db, { name, holder, seconds, now: clock.now() })
const holds = async (lease: Lease | undefined) => {
  const { name, holder, fence } = lease!
  const rows = await opened.db.query(sql`
    select name from svc.leases
    where name = ${name} and holder = ${holder} and fence = ${fence} and expires_at > ${clock.now()}`)
  return rows.length === 1
}

describe('a lease', () => {
  it('is one holder’s until it runs out, and can be renewed', async () => {
    clock.set(new Date('2026-01-01T00:00:00.000Z'))
    const expiresAt = new Date('2026-01-01T00:00:10.000Z')
    expect(await take('renewed', 'a')).toEqual({ name: 'renewed', holder: 'a', fence: 1, expiresAt })
    expect(await take('renewed', 'b')).toBeUndefined()
    clock.advance(9_999)
    expect(await take('renewed', 'b')).toBeUndefined()
    const renewed = await take('renewed', 'a')
    expect(renewed).toMatchObject({ fence: 1, expiresAt: new Date('2026-01-01T00:00:19.999Z') })
    clock.advance(9_999)
    expect(await take('renewed', 'b')).toBeUndefined()
    expect(await holds(renewed)).toBe(true)
  })

  it('is taken over when it ran out, with a higher fence, and the former holder has it no more', async () => {
    const first = await take('over', 'a')
    clock.advance(10_000)
    expect(await holds(first)).toBe(false)
    const second = await take('over', 'b')
    expect(second).toMatchObject({ holder: 'b', fence: 2 })
    expect(await take('over', 'a')).toBeUndefined()
    expect([await holds(first), await holds(second)]).toEqual([false, true])
    clock.advance(10_000)
    expect(await take('over', 'a')).toMatchObject({ holder: 'a', fence: 3 })
  })

  it('that ran out is another lease, even for the same holder', async () => {
    const first = await take('again', 'a')
    clock.advance(10_000)
    const second = await take('again', 'a')
    expect(second).toMatchObject({ fence: 2 })
    expect([await holds(first), await holds(second)]).toEqual([false, true])
  })

  it('is free at once when it is released', async () => {
    const first = await take('released', 'a', 3600)
    await releaseLease(opened.db, first!)
    expect(await holds(first)).toBe(false)
    const second = await take('released', 'b')
    expect(second).toMatchObject({ holder: 'b', fence: 2 })
    expect(await holds(second)).toBe(true)
  })

  it('is not released by one who had it before', async () => {
    const first = await take('kept', 'a')
    clock.advance(10_000)
    const second = await take('kept', 'b')
    await releaseLease(opened.db, first!)
    await releaseLease(opened.db, { ...second!, holder: 'a' })
    await releaseLease(opened.db, { ...second!, fence: 1 })
    expect(await take('kept', 'c')).toBeUndefined()
    expect(await holds(second)).toBe(true)
  })

  it('is one of many: names are apart', async () => {
    expect(await take('one', 'a')).toMatchObject({ fence: 1 })
    expect(await take('two', 'b')).toMatchObject({ fence: 1 })
  })
})

needs('postgres')('a lease among several connections', () => {
  it('is taken by one of twenty at once, and by one of twenty when it ran out', async () => {
    const all = () => Promise.all(Array.from({ length: 20 }, (_, n) => take('raced', `holder ${n}`)))
    const first = (await all()).filter((lease) => lease !== undefined)
    expect(first).toMatchObject([{ fence: 1 }])
    clock.advance(10_000)
    const second = (await all()).filter((lease) => lease !== undefined)
    expect(second).toMatchObject([{ fence: 2 }])
    expect([await holds(first[0]), await holds(second[0])]).toEqual([false, true])
  })
})

const keep = <T>(name: string, run: (lease: KeptLease) => Promise<T>, db: Db = opened.db) =>
  underLease(db, { name, run, refuse: (seconds) => new Refusal(seconds) })
class Refusal extends Error {
  readonly seconds: number
  constructor(seconds: number) {
    super(`refused for ${seconds} seconds`)
    this.seconds = seconds
  }
}
const refusedSeconds = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  )
  return error instanceof Refusal ? error.seconds : Promise.reject(error)
}
const expiryOf = async (name: string) => {
  const [row] = await opened.db.query<{ expires_at: Date; seconds: number }>(sql`
    select expires_at, extract(epoch from expires_at - clock_timestamp())::float8 as seconds
    from svc.leases where name = ${name}`)
  return row!
}
/** Moves the end of the lease back, as if the holder had not renewed it for that long. */
const age = (name: string, seconds: number) =>
  opened.db.query(sql`
    update svc.leases set expires_at = expires_at - make_interval(secs => ${seconds}) where name = ${name}`)
/** Leaves the lease as a process does that dies at its work. */
const leaveBy = (name: string, holder: string, seconds = 15) =>
  opened.db.query(sql`
    insert into svc.leases (name, holder, fence, expires_at)
    values (${name}, ${holder}, 1, clock_timestamp() + make_interval(secs => ${seconds}))`)

describe('work under a lease that is renewed', () => {
  it('runs alone; another is refused with the seconds that are left, and runs when it has ended', async () => {
    await keep('alone', async () => {
      expect((await expiryOf('alone')).seconds).toBeLessThanOrEqual(15)
      await age('alone', -100)
      const seconds = await refusedSeconds(keep('alone', async () => 'second'))
      expect(seconds).toBeGreaterThan(90)
      expect(seconds).toBeLessThanOrEqual(115)
    })
    expect(await keep('alone', async () => 'third')).toBe('third')
  })

  it('answers what the work answers, or throws, and is free afterwards either way', async () => {
    await expect(keep('ends', async () => Promise.reject(new Error('the work failed')))).rejects.toThrow('work failed')
    expect(await keep('ends', async () => 'done')).toBe('done')
  })

  it('is renewed for as long as the work runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await keep('long', async ({ confirm }) => {
      for (let renewed = 0; renewed < 3; renewed++) {
        await age('long', 10)
        const { expires_at } = await expiryOf('long')
        vi.advanceTimersByTime(5_000)
        while ((await expiryOf('long')).expires_at.getTime() <= expires_at.getTime()) await nextRound()
      }
      await confirm()
    })
  })

  it('stays the holder’s when it ran out and nobody took it', async () => {
    await keep('late', async ({ confirm }) => {
      await age('late', 60)
      await confirm()
      expect((await expiryOf('late')).seconds).toBeGreaterThan(0)
      await refusedSeconds(keep('late', async () => 'another'))
    })
  })

  it('tells the work that another took it over, and leaves it with that one', async () => {
    const refusals = keep('lost', async ({ confirm, confirmIn }) => {
      await age('lost', 60)
      return keep('lost', async (second) => {
        const refused = [await refusedSeconds(confirm()), await refusedSeconds(opened.db.tx(confirmIn))]
        await second.confirm()
        return refused
      })
    })
    expect(await refusals).toEqual([expect.any(Number), 1])
  })

  it('a holder of an instance that is gone is followed at once; one of this instance is waited for', async () => {
    await leaveBy('left', 'svc 0000000000000000/a')
    expect(await keep('left', async () => 'followed')).toBe('followed')
    await leaveBy('busy', `${opened.db.instance}/a`, 3600)
    expect(await refusedSeconds(keep('busy', async () => 'too early'))).toBeGreaterThan(3000)
  })
})

needs('postgres')('work under a lease among several processes', () => {
  it('a live holder is waited for; one whose connections are gone is followed at once', async () => {
    const url = opened.url!
    const other = openPostgres({ url, onError: () => undefined })
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const working = keep(
      'apart',
      async ({ confirm }) => {
        begun.resolve()
        await end.promise
        await confirm()
      },
      other,
    )
    await begun.promise
    await age('apart', -100)
    expect(await refusedSeconds(keep('apart', async () => 'too early'))).toBeGreaterThan(90)
    await opened.db.query(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = ${other.instance}`)
    expect(await keep('apart', async () => 'followed')).toBe('followed')
    end.resolve()
    await expect(working).rejects.toBeInstanceOf(Refusal)
    await other[Symbol.asyncDispose]()
  })

  it('is taken by one of twenty at once', async () => {
    let running = 0
    const attempt = () =>
      keep('kept raced', async () => {
        running++
        await go.promise
      }).catch((error: unknown) => error)
    const go = Promise.withResolvers<void>()
    const attempts = Array.from({ length: 20 }, attempt)
    let settled = 0
    for (const one of attempts) void one.then(() => settled++)
    await until(() => settled === 19)
    expect(running).toBe(1)
    go.resolve()
    const outcomes = await Promise.all(attempts)
    expect(outcomes.filter((outcome) => outcome instanceof Refusal)).toHaveLength(19)
  })

  it('is not taken over while the holder writes under it, even when it runs out meanwhile', async () => {
    const happened: string[] = []
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = keep('written under', ({ confirmIn }) =>
      opened.db.tx(async (tx) => {
        await confirmIn(tx)
        held.resolve()
        await go.promise
        happened.push('written')
      }),
    )
    await held.promise
    const ran = sql`update svc.leases set expires_at = '-infinity' where name = 'written under'`
    const takeover = opened.db.query(ran).then(() => happened.push('taken over'))
    await until(async () => {
      const waiting = await opened.db.query(sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%svc.leases%'`)
      return waiting.length === 1
    })
    go.resolve()
    await Promise.all([writing, takeover])
    expect(happened).toEqual(['written', 'taken over'])
  })
})
