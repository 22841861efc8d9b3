import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { findReconnectsEnd } from '../calls/reconnect-store.ts'
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
  const end = () => findReconnectsEnd(opened.db)

  it('gives workers two minutes from its start, as soon as the first of them has come back', async () => {
    const reconnects = start()
    clock.advance(30_000)
    await reconnects.connected()
    expect(await end()).toEqual(new Date('2026-06-01T12:02:00.000Z'))
  })

  it('gives workers that come for the first time much later nothing', async () => {
    const reconnects = start()
    clock.advance(120_000)
    await reconnects.connected()
    expect(await end()).toBeUndefined()
  })

  it('gives workers two minutes from its stop, but none when they leave by themselves', async () => {
    await start().ended()
    expect(await end()).toBeUndefined()
    await start(() => true).ended()
    expect(await end()).toEqual(new Date('2026-06-01T12:02:00.000Z'))
  })

  it('never shortens the time that another process gave', async () => {
    await start(() => true).ended()
    clock.set(new Date(START.getTime() - 60_000))
    await start(() => true).ended()
    expect(await end()).toEqual(new Date('2026-06-01T12:02:00.000Z'))
  })
})
