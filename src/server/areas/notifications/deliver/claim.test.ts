import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { notify } from '#lib/db/notify.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { leaveTransaction } from '#lib/db/transaction-guard.ts'
import { takeLease } from '#lib/work/lease.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { newNotification } from '#test/deliveries/new-notification.ts'
import { collectNotifications } from '#test/listen.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { listAttempts } from '../ledger/store.ts'
import type { NewNotification } from '../model/notification.ts'
import type { Outcome } from '../model/outcome.ts'
import { addNotifications } from '../store/enqueue.ts'
import { lockDestinations } from '../store/lock.ts'
import { DELIVERIES_NOTIFY, RETRY_PAYLOAD } from '../store/reschedule.ts'
import { claimDeliveries, readRest } from './claim.ts'
import { type Ended, finishDeliveries } from './finish.ts'
import { reapLoop } from './reap.ts'
import { releaseDeliveries } from './release.ts'

const LEASE_SECONDS = 60
const middle = () => 0.5
let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
beforeEach(async () => {
  for (const table of ['attempts', 'deliveries', 'notifications', 'destinations'])
    await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const add = (...added: NewNotification[]) => db.tx((tx) => addNotifications(tx, added))
const claim = async (limit = 10) => (await claimDeliveries(db, 'first', limit, LEASE_SECONDS)).deliveries
const claimRetries = async (limit = 10) => (await claimDeliveries(db, 'retry', limit, LEASE_SECONDS)).deliveries
const finish = (deliveries: readonly Ended['delivery'][], outcome: Outcome) =>
  finishDeliveries(
    db,
    deliveries.map((delivery) => ({ delivery, outcome })),
    middle,
  )
const states = () =>
  db.query<{ state: string; attempt: number; reason: string | null }>(
    sql`select state, attempt, reason from notifications.deliveries order by id`,
  )
const attemptsOf = async ({ id }: Ended['delivery']) =>
  (await listAttempts(db, id)).map(({ attempt, outcome, reason, status }) => ({ attempt, outcome, reason, status }))
/** Makes everything due that waits for its time. */
const pass = () =>
  db.query(sql`with due as (update notifications.deliveries set next_at = clock_timestamp() where next_at is not null)
    update notifications.destinations set first_at = case when first_at is not null then clock_timestamp() end,
      retry_at = case when retry_at is not null then clock_timestamp() end, paused_until = null`)
const expire = () =>
  db.query(sql`update notifications.deliveries set lease_until = '-infinity' where state = 'sending'`)
const reap = () => reapLoop({ db }).tick(new Date(), new AbortController().signal)

describe('NO-07 slots that look seldom are notified of', () => {
  /** Notifications while `act` runs. The last notification is of this test, so none can come after it. */
  const notifiedBy = async (act: () => Promise<unknown>) => {
    const notifications = collectNotifications()
    await using _listening = await db.listen(DELIVERIES_NOTIFY, notifications.onNotify)
    await act()
    await notify(db, DELIVERIES_NOTIFY, 'end')
    await until(async () => notifications.received.includes('end'))
    return notifications.received.filter((payload) => payload !== 'end')
  }

  it('a notification, a retry, and nothing when an attempt ends for good', async () => {
    expect(await notifiedBy(() => add(newNotification()))).toEqual([''])
    const [failed] = await claim()
    expect(await notifiedBy(() => finish([failed!], { type: 'retry', reason: 'http_503' }))).toEqual([RETRY_PAYLOAD])
    await pass()
    const [last] = await claimRetries()
    expect(await notifiedBy(() => finish([last!], { type: 'sent' }))).toEqual([])
  })

  it('what waits for a destination whose worker is gone, or gave its claims back', async () => {
    await add(newNotification(), newNotification(), newNotification())
    const [given, lost] = [await claim(1), await claim(1)]
    expect(await notifiedBy(() => releaseDeliveries(db, given))).toEqual([''])
    expect(lost).toHaveLength(1)
    await expire()
    expect(await notifiedBy(reap)).toEqual([''])
  })

  it('only in one file, which sets when a destination is due', () => {
    const area = join(import.meta.dirname, '..')
    const setting = globSync('**/*.ts', { cwd: area })
      .filter((path) => !path.endsWith('.test.ts'))
      .filter((path) => /\b(first_at|retry_at) =/.test(readFileSync(join(area, path), 'utf8')))
    expect(setting).toEqual(['store/reschedule.ts'])
  })
})

describe('NO-07 looking for deliveries whose worker is gone', () => {
  const looksIn = async () => {
    const now = new Date('2026-05-01T10:00:00Z')
    return (await reapLoop({ db }).tick(now, new AbortController().signal)).getTime() - now.getTime()
  }

  it('waits as long as a lease when nothing is under way, else until the next one ends, and not long for one it found', async () => {
    expect(await looksIn()).toBe(60_000)
    await add(newNotification())
    await claimDeliveries(db, 'first', 1, 20)
    const wait = await looksIn()
    expect(wait).toBeGreaterThan(1_000)
    expect(wait).toBeLessThanOrEqual(20_000)
    await expire()
    expect([await looksIn(), await states()]).toEqual([
      5_000,
      [{ state: 'unknown', attempt: 1, reason: 'worker_lost' }],
    ])
  })
})

describe('NO-07 claiming deliveries', () => {
  it('claims a notification once', async () => {
    await add(newNotification())
    expect(await claim()).toMatchObject([{ destination_key: 'webhook:chn_1', kind: 'webhook', attempt: 1 }])
    expect(await claim()).toEqual([])
  })

  it('takes its fence from the sequence of all leases', async () => {
    const before = (await takeLease(db, 'before'))!.fence
    await add(newNotification())
    const [claimed] = await claim()
    expect([before, claimed!.fence, (await takeLease(db, 'after'))!.fence].map((one) => one - before)).toEqual([
      0, 1, 2,
    ])
  })

  it('stores an event for a destination once, however often it is matched', async () => {
    const one = newNotification()
    await add(one, { ...one, subscription_id: 'sub_2' })
    await add(one)
    expect(await claim()).toHaveLength(1)
    expect(await claim()).toHaveLength(0)
  })

  it('claims no more than asked for', async () => {
    await add(...['a', 'b', 'c'].map((key) => newNotification({ destination_key: key })))
    expect(await claim(2)).toHaveLength(2)
    expect(await claim(2)).toHaveLength(1)
  })

  it('sends at most eight messages to one webhook at once, and the next when one ended', async () => {
    await add(...Array.from({ length: 10 }, () => newNotification()))
    const first = await claim()
    expect(first).toHaveLength(8)
    expect(await claim()).toEqual([])
    await finish(first.slice(0, 1), { type: 'sent' })
    expect(await claim()).toHaveLength(1)
  })

  it('counts a lost message as in flight until it is reaped, and its late result not again', async () => {
    await add(...Array.from({ length: 17 }, () => newNotification()))
    const lost = await claim()
    await expire()
    expect(await claim()).toEqual([])
    await reap()
    expect(await claim()).toHaveLength(8)
    await finish(lost, { type: 'sent' })
    expect(await claim()).toEqual([])
  })

  it('says that more waits until nothing does, also for a destination with as much in flight as may be', async () => {
    const isMoreWaiting = async (limit: number) =>
      (await claimDeliveries(db, 'first', limit, LEASE_SECONDS)).isMoreWaiting
    await add(...Array.from({ length: 10 }, () => newNotification()))
    expect([await isMoreWaiting(1), await isMoreWaiting(20), await isMoreWaiting(20)]).toEqual([true, true, true])
    await db.query(sql`update notifications.deliveries set state = 'sent'`)
    expect(await isMoreWaiting(10)).toBe(false)
  })

  it('goes on with other destinations while one has as much in flight as may be', async () => {
    await add(...Array.from({ length: 16 }, () => newNotification({ destination_key: 'full' })))
    expect(await claim(8)).toHaveLength(8)
    await add(newNotification({ destination_key: 'other' }))
    expect(await claim(1)).toMatchObject([{ destination_key: 'other' }])
  })

  it('takes destinations in turns, so that a long queue does not delay a short one', async () => {
    await add(...Array.from({ length: 8 }, () => newNotification({ destination_key: 'long' })))
    await add(newNotification({ destination_key: 'short' }))
    expect((await claim(2)).map(({ destination_key }) => destination_key).sort()).toEqual(['long', 'short'])
  })

  it('puts the notifications that wait for one webhook into one message, as many as fit', async () => {
    await add(...Array.from({ length: 5 }, () => newNotification({ per_message: 3 })))
    const claimed = await claim()
    expect(claimed).toHaveLength(2)
    const sizes = await db.query<{ count: number }>(
      sql`select count(*) from notifications.notifications group by delivery_id order by 1`,
    )
    expect(sizes.map(({ count }) => count)).toEqual([2, 3])
  })

  it('tries again only after proof that nothing was delivered', async () => {
    await add(newNotification())
    await finish(await claim(), { type: 'retry', reason: 'http_503' })
    expect(await states()).toEqual([{ state: 'pending', attempt: 1, reason: 'http_503' }])
    expect([await claim(), await claimRetries()]).toEqual([[], []])
    await pass()
    expect(await claim()).toEqual([])
    const retried = await claimRetries()
    expect(retried).toMatchObject([{ attempt: 2 }])
    await finish(retried, { type: 'unknown', reason: 'no_answer' })
    await pass()
    expect([await claim(), await claimRetries()]).toEqual([[], []])
    expect(await states()).toEqual([{ state: 'unknown', attempt: 2, reason: 'no_answer' }])
  })

  it('never takes over an expired claim: its outcome is unknown until its worker says more', async () => {
    await add(newNotification())
    const lost = await claim()
    await expire()
    await reap()
    expect(await states()).toEqual([{ state: 'unknown', attempt: 1, reason: 'worker_lost' }])
    expect([await claim(), await claimRetries()]).toEqual([[], []])
    await finish(lost, { type: 'sent' })
    expect(await states()).toEqual([{ state: 'sent', attempt: 1, reason: null }])
  })

  it('writes a result only under the fence of its claim', async () => {
    await add(newNotification())
    const [first] = await claim()
    await finish([first!], { type: 'retry', reason: 'http_503' })
    await pass()
    await claimRetries()
    await finish([first!], { type: 'sent' })
    expect(await states()).toEqual([{ state: 'sending', attempt: 2, reason: null }])
  })

  it('undoes a claim that was never begun', async () => {
    await add(newNotification())
    await releaseDeliveries(db, await claim())
    expect(await states()).toEqual([{ state: 'pending', attempt: 0, reason: null }])
    expect(await db.query(sql`select 1 from notifications.attempts`)).toEqual([])
    expect(await claim()).toMatchObject([{ attempt: 1 }])
  })

  it('leaves a destination alone that failed five times in a row', async () => {
    await add(...Array.from({ length: 6 }, () => newNotification()))
    for (const outcome of Array.from({ length: 5 }, () => ({ type: 'failed', reason: 'x' }) as const)) {
      void outcome
      const [one] = await claim(1)
      await finish([one!], { type: 'retry', reason: 'refused' })
    }
    expect(await claim()).toEqual([])
    await pass()
    expect(await claim()).toHaveLength(1)
  })

  it('keeps a pause that the receiver asked for, whatever other attempts end with meanwhile', async () => {
    await add(...Array.from({ length: 4 }, () => newNotification()))
    const [limited, sent, dropped] = await claim(3)
    await finish([limited!], { type: 'retry', reason: 'http_429', retryAfterSeconds: 3600 })
    await finish([sent!], { type: 'sent' })
    await finish([dropped!], { type: 'dropped', reason: 'unsubscribed' })
    expect(await claim()).toEqual([])
  })

  it('keeps a trace of every attempt from the moment it begins', async () => {
    await add(newNotification())
    const claimed = await claim()
    expect(await attemptsOf(claimed[0]!)).toEqual([{ attempt: 1, outcome: null, reason: null, status: null }])
    await finishDeliveries(
      db,
      [{ delivery: claimed[0]!, outcome: { type: 'failed', reason: 'http_400' }, status: 400 }],
      middle,
    )
    expect(await attemptsOf(claimed[0]!)).toEqual([{ attempt: 1, outcome: 'failed', reason: 'http_400', status: 400 }])
  })

  it('keeps the traces of earlier attempts while a later one is under way and when it was given back', async () => {
    await add(newNotification())
    const [first] = await claim()
    const refused = { type: 'retry', reason: 'http_503' } as const
    await finishDeliveries(db, [{ delivery: first!, outcome: refused, status: 503 }], middle)
    const failed = { attempt: 1, outcome: 'retry', reason: 'http_503', status: 503 }
    expect(await attemptsOf(first!)).toEqual([failed])
    await pass()
    const [second] = await claimRetries()
    expect(await attemptsOf(first!)).toEqual([failed, { attempt: 2, outcome: null, reason: null, status: null }])
    await releaseDeliveries(db, [second!])
    expect(await attemptsOf(first!)).toEqual([failed])
    const [third] = await claimRetries()
    await finish([third!], { type: 'sent' })
    expect(await attemptsOf(first!)).toEqual([failed, { attempt: 2, outcome: 'sent', reason: null, status: null }])
  })

  it('corrects the trace that the former release wrote when it claimed', async () => {
    await add(newNotification())
    const [claimed] = await claim()
    await db.query(sql`update notifications.deliveries set started_at = null`)
    await db.query(sql`
      insert into notifications.attempts (delivery_id, attempt, fence, started_at)
      values (${claimed!.id}, 1, ${claimed!.fence}, clock_timestamp())`)
    await finish([claimed!], { type: 'sent' })
    expect(await attemptsOf(claimed!)).toEqual([{ attempt: 1, outcome: 'sent', reason: null, status: null }])
  })

  it('looks every five seconds at a destination with as much in flight as may be, and at none with nothing to send', async () => {
    const untilNext = async () => (await claimDeliveries(db, 'first', 10, LEASE_SECONDS)).nextInSeconds
    await add(...Array.from({ length: 6 }, () => newNotification()))
    expect(await claim(4)).toHaveLength(4)
    expect(await untilNext()).toBeUndefined()
    await add(...Array.from({ length: 6 }, () => newNotification()))
    expect(await claim(2)).toHaveLength(2)
    expect(await untilNext()).toBe(5)
    await db.query(sql`delete from notifications.destinations`)
    await add(newNotification({ destination_key: 'chat:chn_2', kind: 'chat' }))
    await finish(await claim(), { type: 'sent' })
    expect(await untilNext()).toBeUndefined()
  })

  it('says when the next retry is due, also while first attempts have taken all places', async () => {
    await add(newNotification())
    await finish(await claim(), { type: 'retry', reason: 'http_503', retryAfterSeconds: 100 })
    await add(...Array.from({ length: 8 }, () => newNotification()))
    await db.query(sql`update notifications.destinations set paused_until = null, first_at = clock_timestamp()`)
    expect(await claim()).toHaveLength(8)
    const { nextInSeconds, isMoreWaiting } = await readRest(db, 'retry')
    expect(isMoreWaiting).toBe(false)
    expect(nextInSeconds).toBeGreaterThan(60)
    expect(nextInSeconds).toBeLessThanOrEqual(100)
    await pass()
    expect(await readRest(db, 'retry')).toEqual({ nextInSeconds: 5, isMoreWaiting: true })
  })

  it('says when the next retry is due', async () => {
    await add(newNotification())
    await finish(await claim(), { type: 'retry', reason: 'http_503', retryAfterSeconds: 100 })
    const { nextInSeconds } = await claimDeliveries(db, 'retry', 1, LEASE_SECONDS)
    expect(nextInSeconds).toBeGreaterThan(60)
    expect(nextInSeconds).toBeLessThanOrEqual(100)
  })
})

needs('postgres')('NO-07 claiming by several workers at once', () => {
  it('each notification is claimed once, and none is left behind', async () => {
    const added = Array.from({ length: 300 }, (_, i) => newNotification({ destination_key: `webhook:chn_${i % 7}` }))
    const worker = async () => {
      let count = 0
      for (let idle = 0; idle < 3; ) {
        const claimed = await claim(5)
        idle = claimed.length === 0 ? idle + 1 : 0
        count += claimed.length
        if (claimed.length > 0) await finish(claimed, { type: 'sent' })
      }
      return count
    }
    const producers = Array.from({ length: 4 }, async (_, n) => {
      for (let i = n; i < added.length; i += 4) await add(added[i]!)
    })
    const early = await Promise.all([
      worker(),
      worker(),
      worker(),
      ...producers.map((producer) => producer.then(() => 0)),
    ])
    const late = await worker()
    expect([...early, late].reduce((a, b) => a + b)).toBe(300)
    expect(await states()).toHaveLength(300)
    expect(new Set((await states()).map(({ state }) => state))).toEqual(new Set(['sent']))
  })

  it('a worker that stops inside a transaction does not keep its destinations locked', async () => {
    await add(newNotification())
    const claimed = await claim()
    const locked = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const stopped = db.tx(async (tx) => {
      await lockDestinations(tx, ['webhook:chn_1'])
      locked.resolve()
      await finished.promise
    })
    const refused = expect(stopped).rejects.toBeInstanceOf(DatabaseUnavailable)
    await locked.promise
    await finish(claimed, { type: 'unknown', reason: 'io' }).finally(finished.resolve)
    await refused
    expect(await states()).toMatchObject([{ state: 'unknown' }])
  })

  it('a delivered message is recorded while others lock its destination, and ends a row of failures', async () => {
    await add(...Array.from({ length: 7 }, () => newNotification()))
    const failures = async () =>
      (await db.query<{ failures: number }>(sql`select failures from notifications.destinations`))[0]!.failures
    const [first, second, third] = await claim()
    await db.tx(async (tx) => {
      await lockDestinations(tx, ['webhook:chn_1'])
      await leaveTransaction(() => finish([first!], { type: 'sent' }))
    })
    expect((await states()).filter(({ state }) => state === 'sent')).toHaveLength(1)
    await finish([second!], { type: 'unknown', reason: 'io' })
    expect(await failures()).toBe(1)
    await finish([third!], { type: 'sent' })
    expect(await failures()).toBe(0)
  })

  it('reads no table from end to end, though its statements were planned while the tables were empty', async () => {
    await using fresh = await openTestDatabase()
    const worker = openPostgres({ url: fresh.url!, onError: () => {} })
    const addTo = (count: number) =>
      fresh.db.tx((tx) =>
        addNotifications(
          tx,
          Array.from({ length: count }, (_, i) => newNotification(ofDestination(i))),
        ),
      )
    for (const count of [...Array<number>(8).fill(1), 400]) {
      await addTo(count)
      for (let left = count; left > 0; ) {
        const { deliveries } = await claimDeliveries(worker, 'first', 50, LEASE_SECONDS)
        const ended = deliveries.map((delivery) => ({ delivery, outcome: { type: 'sent' } as const }))
        await finishDeliveries(worker, ended, middle)
        left -= deliveries.length
      }
    }
    await worker[Symbol.asyncDispose]()
    // A session reports what it read when it ends.
    await until(async () => (await countSessions(fresh.db, worker.instance)) === 0)
    expect(await wholeReads(fresh.db)).toEqual([
      { relname: 'attempts', seq_tup_read: 0 },
      { relname: 'deliveries', seq_tup_read: 0 },
      { relname: 'notifications', seq_tup_read: 0 },
    ])
  })
})

const ofDestination = (i: number) => ({ destination_key: `webhook:chn_${i}`, channel_id: `chn_${i}` })

async function countSessions(own: Db, instance: string): Promise<number> {
  const [row] = await own.query<{ count: number }>(
    sql`select count(*)::int from pg_stat_activity where application_name = ${instance}`,
  )
  return row!.count
}

const wholeReads = (own: Db) =>
  own.query(sql`
    select relname, seq_tup_read::int from pg_stat_user_tables
    where schemaname = 'notifications' and relname in ('attempts', 'deliveries', 'notifications') order by relname`)
