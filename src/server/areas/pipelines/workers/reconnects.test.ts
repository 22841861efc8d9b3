import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { extendReconnects, reconnectsMsLeft } from '../calls/reconnect-store.ts'
import { createReconnects } from './reconnects.ts'

const START = new Date('2026-06-01T12:00:00.000Z')

describe('NO-19 a process that holds streams of workers', () => {
  let opened: TestDatabase
  const clock = testClock()
  beforeAll(async () => {
    opened = await openTestDatabase()
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    clock.set(START)
    await opened.db.query(sql`delete from pipelines.reconnects`)
  })
  const start = (isStopping = () => false) => createReconnects({ db: opened.db, clock, isStopping })
  /** Whole minutes that are left, rounded up. */
  const minutesLeft = async () => Math.ceil((await reconnectsMsLeft(opened.db)) / 60_000)

  it('gives workers two minutes from its start, as soon as the first of them has come back', async () => {
    const reconnects = start()
    clock.advance(60_000)
    await reconnects.connected()
    expect(await minutesLeft()).toBe(1)
  })

  it('gives workers that come for the first time much later nothing', async () => {
    const reconnects = start()
    clock.advance(120_000)
    await reconnects.connected()
    expect(await minutesLeft()).toBe(0)
  })

  it('gives workers two minutes from its stop, but none when they leave by themselves', async () => {
    await start().ended()
    expect(await minutesLeft()).toBe(0)
    await start(() => true).ended()
    expect(await minutesLeft()).toBe(2)
  })

  it('never shortens the time that another process gave', async () => {
    await start(() => true).ended()
    const reconnects = start()
    clock.advance(60_000)
    await reconnects.connected()
    expect(await minutesLeft()).toBe(2)
  })

  it('gives two minutes from now at most, whatever its clock says and whatever was saved', async () => {
    await extendReconnects(opened.db, 24 * 3_600_000)
    expect(await minutesLeft()).toBe(2)
    await opened.db.query(sql`update pipelines.reconnects set until = clock_timestamp() + interval '1 year'`)
    expect(await minutesLeft()).toBe(2)
    await extendReconnects(opened.db)
    const [row] = await opened.db.query<{ isNear: boolean }>(sql`
      select until <= clock_timestamp() + interval '2 minutes' as "isNear" from pipelines.reconnects`)
    expect(row).toEqual({ isNear: true })
    clock.set(new Date('2030-01-01T00:00:00.000Z'))
    await start(() => true).ended()
    expect(await minutesLeft()).toBe(2)
  })
})
