import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { Db } from '../db/db.ts'
import { openPostgres } from '../db/postgres.ts'
import { sql } from '../db/sql.ts'
import { type Lease, type LeaseGuard, lockLease, releaseLease, renewLeases, takeLease, withLease } from './lease.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const take = (name: string, seconds?: number) => takeLease(opened.db, name, seconds)
const holds = (lease: Lease | undefined) => opened.db.tx((tx) => lockLease(tx, lease!))
const renews = async (...leases: (Lease | undefined)[]) =>
  (await renewLeases(opened.db, leases as Lease[])).map(({ name, fence }) => ({ name, fence }))
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

describe('a lease', () => {
  it('is held by one grant until it runs out, and its holder can renew it', async () => {
    const first = await take('renewed')
    expect((await expiryOf('renewed')).seconds).toBeGreaterThan(10)
    expect((await expiryOf('renewed')).seconds).toBeLessThanOrEqual(15)
    expect(await take('renewed')).toBeUndefined()
    await age('renewed', 10)
    expect(await renews(first)).toEqual([{ name: 'renewed', fence: first!.fence }])
    expect((await expiryOf('renewed')).seconds).toBeGreaterThan(10)
    expect(await take('renewed')).toBeUndefined()
    expect(await holds(first)).toBe(true)
  })

  it('is taken over when it ran out, with a higher fence, and the former grant has it no more', async () => {
    const first = await take('over')
    await age('over', 15)
    const second = await take('over')
    expect(second!.fence).toBeGreaterThan(first!.fence)
    expect(await renews(first)).toEqual([])
    expect([await holds(first), await holds(second)]).toEqual([false, true])
  })

  it('is free at once when it is released, and the next grant has a higher fence', async () => {
    const first = await take('released', 3600)
    await releaseLease(opened.db, first!)
    expect(await holds(first)).toBe(false)
    const second = await take('released')
    expect(second!.fence).toBeGreaterThan(first!.fence)
    expect(await holds(second)).toBe(true)
  })

  it('is not released by a former grant', async () => {
    const first = await take('former')
    await age('former', 15)
    const second = await take('former')
    await releaseLease(opened.db, first!)
    await releaseLease(opened.db, { ...second!, holder: first!.holder })
    await releaseLease(opened.db, { ...second!, fence: first!.fence })
    expect(await take('former')).toBeUndefined()
    expect(await holds(second)).toBe(true)
  })

  it('is one of many: each has its own holder, and a renewal of several returns those that are still held', async () => {
    const [one, two, three] = [await take('one'), await take('two'), await take('three')]
    await age('two', 15)
    const another = await take('two')
    const heldLeases = await renews(three, two, one)
    expect(heldLeases.map(({ name }) => name).sort()).toEqual(['one', 'three'])
    expect(await renews(another)).toHaveLength(1)
  })
})

needs('postgres')('a lease among several connections', () => {
  it('is taken by one of twenty at once, and by one of twenty when it ran out', async () => {
    const all = async () =>
      (await Promise.all(Array.from({ length: 20 }, () => take('raced')))).filter((lease) => lease !== undefined)
    const first = await all()
    await age('raced', 15)
    const second = await all()
    expect([first.length, second.length]).toEqual([1, 1])
    expect(second[0]!.fence).toBeGreaterThan(first[0]!.fence)
    expect([await holds(first[0]), await holds(second[0])]).toEqual([false, true])
  })

  it('renewals and takeovers of many leases at once never wait for each other in a circle', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `many ${n}`)
    const leases = (await Promise.all(names.map((name) => take(name)))) as Lease[]
    const orders = [leases, leases.toReversed(), [...leases.slice(6), ...leases.slice(0, 6)]]
    const rounds = Array.from({ length: 30 }, (_, n) => renewLeases(opened.db, orders[n % 3]!))
    expect((await Promise.all(rounds)).map(({ length }) => length)).toEqual(Array(30).fill(12))
  })
})

const keep = <T>(name: string, run: (guard: LeaseGuard) => Promise<T>, db: Db = opened.db) =>
  withLease(db, { name, run, refuse: (seconds) => new Refusal(seconds) })
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
