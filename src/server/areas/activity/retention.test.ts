import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lowestId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { retentionLoop } from './retention.ts'

const DAY_MS = 24 * 60 * 60_000
/** A Wednesday long after the partitions that the migrations make. Its week begins on 1 June. */
const NOW = new Date('2099-06-03T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)

describe('DS-19 records of Activity', () => {
  let database: TestDatabase
  let db: Db
  beforeAll(async () => {
    database = await openTestDatabase()
    db = database.db
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  let rows = 0
  const record = async (askedAt: Date, count = 1) => {
    rows += count
    await db.query(sql`
      insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, asked_at, counted,
                                    key_id, digest, question_bytes)
      select ${lowestId('act', askedAt).slice(0, 14)} || lpad((${rows}::int - n)::text, 16, '0'), 'org_a', 'data_source',
             'api', 'db_a', 'run', 'exe_1', ${askedAt}, true, 'key', decode(repeat('00', 16), 'hex'), 1
      from generate_series(1, ${count}::int) n`)
  }
  const tick = (now: Date) => retentionLoop({ db }).tick(now, new AbortController().signal)
  const times = async () =>
    (await db.query<{ day: string }>(sql`select asked_at::date as day from activity.records order by 1`)).map(
      ({ day }) => day,
    )
  const partitionOf = async (day: string) => {
    const [row] = await db.query<{ partition: string }>(sql`
      select distinct tableoid::regclass::text as partition from activity.records where asked_at::date = ${day}::date`)
    return row?.partition
  }

  it('are stored in the partition of their week, which is made four weeks ahead', async () => {
    expect((await tick(NOW)).getTime() - NOW.getTime()).toBe(60 * 60_000)
    await record(NOW)
    await record(daysAgo(-25))
    expect(await partitionOf('2099-06-03')).toBe('activity.records_20990601')
    expect(await partitionOf('2099-06-28')).toBe('activity.records_20990622')
    await tick(NOW)
  })

  it('are stored also without a partition of their week, and stay where they are', async () => {
    await record(daysAgo(-40))
    expect(await partitionOf('2099-07-13')).toBe('activity.records_default')
    const next = await tick(daysAgo(-20))
    expect(next.getTime() - daysAgo(-20).getTime()).toBe(5 * 60_000)
    expect(await partitionOf('2099-07-13')).toBe('activity.records_default')
    await record(daysAgo(-33))
    expect(await partitionOf('2099-07-06')).toBe('activity.records_20990706')
    expect(await times()).toEqual(['2099-06-03', '2099-06-28', '2099-07-06', '2099-07-13'])
  })

  it('are removed after 90 days, a week at a time, and one by one where they have no partition of a week', async () => {
    await tick(new Date('2099-09-05T23:59:00Z'))
    expect(await times()).toEqual(['2099-06-03', '2099-06-28', '2099-07-06', '2099-07-13'])
    await tick(new Date('2099-09-06T00:00:00Z'))
    expect(await times()).toEqual(['2099-06-28', '2099-07-06', '2099-07-13'])
    await record(daysAgo(-40), 5_001)
    await tick(new Date('2099-10-11T11:59:00Z'))
    expect((await times()).length).toBe(5_002)
    await tick(new Date('2099-10-11T12:00:01Z'))
    expect(await times()).toEqual([])
  })
})

needs('postgres')('DS-19 partitions of Activity while others use the table', () => {
  it('are made and dropped later, and keep nobody waiting', async () => {
    await using database = await openTestDatabase()
    const { db } = database
    const tick = (now: Date) => retentionLoop({ db }).tick(now, new AbortController().signal)
    const partitions = async () =>
      (
        await db.query<{ n: number }>(sql`
        select count(*)::int as n from pg_inherits where inhparent = 'activity.records'::regclass`)
      )[0]!.n
    const before = await partitions()
    const reading = Promise.withResolvers<void>()
    const isOpen = Promise.withResolvers<void>()
    const reader = db.tx(async (tx) => {
      await tx.query(sql`select from activity.records`)
      isOpen.resolve()
      await reading.promise
    })
    await isOpen.promise
    expect((await tick(NOW)).getTime() - NOW.getTime()).toBe(5 * 60_000)
    expect(await partitions()).toBe(before)
    reading.resolve()
    await reader
    await tick(NOW)
    // Five weeks from now on, and the default partition. Those of the migration are long over.
    expect(await partitions()).toBe(6)
  })
})
