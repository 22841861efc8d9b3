import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { type KeyValueStore, openMemoryStore } from '#lib/kv/kv.ts'
import { withFallback } from '#lib/kv/kv-fallback.ts'
import { openRedis } from '#lib/kv/kv-redis.ts'
import { type TestClock, testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { begin } from '#test/sources/activity-records.ts'
import { needs, stores } from '#test/stores.ts'
import { createQuota } from './quota.ts'
import { setOverride } from './quota-store.ts'
import { createRecorder } from './record.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const at = (time: string) => testClock(new Date(time))
const quotaOf = (clock: TestClock, perMinute: number, perDay: number, kv: KeyValueStore = openMemoryStore(clock)) =>
  createQuota({ kv, db: database.db, clock, perMinute, perDay })

/** How many of `times` pass. */
async function passed(spend: () => Promise<void>, times: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: times }, spend))
  return results.filter(({ status }) => status === 'fulfilled').length
}

async function record(clock: TestClock, org_id: string, times: number, counted = true): Promise<void> {
  const activity = createRecorder({ db: database.db, clock, dataKey: 'ab'.repeat(32), onError: console.error })
  const principal = { kind: 'user', id: 'usr_1', user_id: 'usr_1' } as const
  const asked = { org_id, target: 'db_a', source: 'api', principal, question: 'q', filters: {} } as const
  for (let n = 0; n < times; n++) {
    const { id } = await begin(activity, database.db, asked)
    activity.complete(id, { status: counted ? 200 : 429, duration_ms: 1, answer_bytes: 0, counted })
  }
  await activity.flush()
}

const refused = (retryAfterSeconds: number) => ({ code: 'RATE_LIMITED', retryAfterSeconds })

describe('DS-18 the question quota of an organization', () => {
  it('allows its limit in each minute of the clock', async () => {
    const clock = at('2026-03-01T12:00:59.001Z')
    const quota = quotaOf(clock, 3, 100)
    const org = newId('org')
    expect(await passed(() => quota.spend(org), 3)).toBe(3)
    await expect(quota.spend(org)).rejects.toMatchObject(refused(1))
    clock.set(new Date('2026-03-01T12:00:59.999Z'))
    await expect(quota.spend(org)).rejects.toMatchObject(refused(1))
    clock.set(new Date('2026-03-01T12:01:00.000Z'))
    expect(await passed(() => quota.spend(org), 4)).toBe(3)
    await expect(quota.spend(org)).rejects.toMatchObject(refused(60))
  })

  it('admits as many of the questions that come at once as are left, for each organization by itself', async () => {
    const clock = at('2026-03-01T12:00:00.000Z')
    const quota = quotaOf(clock, 3, 100)
    const [one, two] = [newId('org'), newId('org')]
    const asked = [one, two, one, two, one, one, two, two, two]
    const results = await Promise.allSettled(asked.map((org) => quota.spend(org)))
    const admitted = asked.filter((_, n) => results[n]!.status === 'fulfilled')
    expect([one, two].map((org) => admitted.filter((other) => other === org).length)).toEqual([3, 3])
  })

  it('counts a question in the minute in which it began', async () => {
    const clock = at('2026-03-01T12:00:00.000Z')
    const kv = openMemoryStore(clock)
    const quota = quotaOf(clock, 2, 100, {
      ...kv,
      take: async (...asked) => {
        clock.advance(500)
        return kv.take(...asked)
      },
    })
    const org = newId('org')
    await quota.spend(org)
    await quota.spend(org)
    clock.set(new Date('2026-03-01T12:00:59.900Z'))
    await expect(quota.spend(org)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('allows its limit in each UTC day', async () => {
    const clock = at('2026-03-01T23:59:00.000Z')
    const quota = quotaOf(clock, 100, 2)
    const org = newId('org')
    expect(await passed(() => quota.spend(org), 2)).toBe(2)
    await expect(quota.spend(org)).rejects.toMatchObject(refused(60))
    clock.set(new Date('2026-03-01T23:59:59.999Z'))
    await expect(quota.spend(org)).rejects.toMatchObject(refused(1))
    clock.set(new Date('2026-03-02T00:00:00.000Z'))
    expect(await passed(() => quota.spend(org), 3)).toBe(2)
    await expect(quota.spend(org)).rejects.toMatchObject(refused(24 * 60 * 60))
  })

  it('is separate for each organization, and 0 allows none', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const quota = quotaOf(clock, 1, 100)
    expect(await passed(() => quota.spend(newId('org')), 3)).toBe(3)
    await expect(quotaOf(clock, 0, 100).spend(newId('org'))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await expect(quotaOf(clock, 100, 0).spend(newId('org'))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('does not count refused questions, neither for the minute nor for the day', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const quota = quotaOf(clock, 2, 3)
    const org = newId('org')
    expect(await passed(() => quota.spend(org), 20)).toBe(2)
    clock.advance(60_000)
    await quota.spend(org)
    await expect(quota.spend(org)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await setOverride(database.db, org, { per_minute: 100, per_day: 5 })
    clock.advance(5_000)
    expect(await passed(() => quota.spend(org), 10)).toBe(2)
  })

  it('can be set by the operator for one organization within five seconds, and null restores the default', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const quota = quotaOf(clock, 1, 100)
    const org = newId('org')
    await quota.spend(org)
    await setOverride(database.db, org, { per_minute: 3, per_day: null })
    clock.advance(5_000)
    expect(await passed(() => quota.spend(org), 5)).toBe(2)
  })

  it('continues a lost count of the day from the recorded questions that were spent', async () => {
    const clock = at('2026-03-01T23:59:59.999Z')
    const org = newId('org')
    await record(clock, org, 1)
    clock.advance(1)
    await record(clock, org, 2)
    await record(clock, org, 2, false)
    clock.advance(1)
    const quota = quotaOf(clock, 100, 5)
    expect(await passed(() => quota.spend(org), 10)).toBe(3)
  })
})

describe('DS-18 a process that ended in the middle', () => {
  it('leaves unfinished questions, which count after a minute, while running ones count themselves', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const org = newId('org')
    const activity = createRecorder({ db: database.db, clock, dataKey: 'ab'.repeat(32), onError: console.error })
    const principal = { kind: 'user', id: 'usr_1', user_id: 'usr_1' } as const
    const asked = { org_id: org, target: 'db_a', source: 'api', principal, question: 'q', filters: {} } as const
    await begin(activity, database.db, asked)
    clock.advance(60_000)
    const [running, later] = [quotaOf(clock, 100, 2), quotaOf(clock, 100, 2)]
    expect(await passed(() => running.spend(org), 9)).toBe(2)
    clock.advance(1)
    expect(await passed(() => later.spend(org), 9)).toBe(1)
  })
})

describe('DS-18 while the shared store is unavailable', () => {
  const away: KeyValueStore = Object.fromEntries(
    ['count', 'take', 'get', 'set', 'setOnce', 'delete', 'ping'].map((name) => [
      name,
      () => Promise.reject(new Error('away')),
    ]),
  ) as unknown as KeyValueStore

  it('minutes are counted per process, and days from the records', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const org = newId('org')
    const process = () => quotaOf(clock, 2, 3, withFallback(away, openMemoryStore(clock), { clock }))
    const [one, two] = [process(), process()]
    expect(await passed(() => one.spend(org), 5)).toBe(2)
    expect(await passed(() => two.spend(org), 5)).toBe(2)
    clock.advance(60_000)
    await record(clock, org, 3)
    await expect(one.spend(org)).rejects.toMatchObject(refused((12 * 60 - 1) * 60))
    await expect(two.spend(org)).rejects.toMatchObject(refused((12 * 60 - 1) * 60))
  })

  it('questions asked meanwhile still count when it is back', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const org = newId('org')
    const own = openMemoryStore(clock)
    let isAway = false
    const shared = { ...own, take: (...asked: Parameters<typeof own.take>) => (isAway ? away : own).take(...asked) }
    const quota = quotaOf(clock, 100, 5, withFallback(shared, openMemoryStore(clock), { clock }))
    expect(await passed(() => quota.spend(org), 2)).toBe(2)
    isAway = true
    await quota.spend(org)
    clock.advance(1)
    await record(clock, org, 3)
    isAway = false
    clock.advance(1)
    expect(await passed(() => quota.spend(org), 9)).toBe(2)
  })
})

needs('postgres', 'redis')('DS-18 replicas share one quota', () => {
  it('two replicas together admit exactly the limit of concurrent questions', async () => {
    const clock = at('2026-03-01T12:00:00Z')
    const org = newId('org')
    const prefix = `test-${randomBytes(6).toString('hex')}:`
    await using one = openRedis(stores.redis!, console.error, prefix)
    await using two = openRedis(stores.redis!, console.error, prefix)
    const minute = [quotaOf(clock, 40, 1000, one), quotaOf(clock, 40, 1000, two)]
    let turn = 0
    expect(await passed(() => minute[turn++ % 2]!.spend(org), 100)).toBe(40)
    const day = [quotaOf(clock, 1000, 30, one), quotaOf(clock, 1000, 30, two)]
    expect(await passed(() => day[turn++ % 2]!.spend(newId('org')), 10)).toBe(10)
    const other = newId('org')
    expect(await passed(() => day[turn++ % 2]!.spend(other), 100)).toBe(30)
  })
})
