import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { listenUntilTestEnds } from '#test/listen.ts'
import { needs } from '#test/stores.ts'
import { sql } from '../db/sql.ts'
import { OUTBOX_CHANNEL, takeEvents, writeEvent } from './outbox.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.db.query(sql`delete from svc.outbox`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const occurred_at = new Date('2026-02-03T04:05:06.789Z')
const event = (n: number) => ({ type: 'thing.made', org_id: 'org_1', occurred_at, body: { n, of: ['a', { b: null }] } })
const rows = () => opened.db.query(sql`select id, org_id, type, body, occurred_at from svc.outbox order by id`)
const write = (n: number) => opened.db.tx((tx) => writeEvent(tx, event(n)))
const take = (limit = 100) => opened.db.tx((tx) => takeEvents(tx, limit))

describe('NO-01 an event', () => {
  it('is stored with its change, in the order of writing', async () => {
    const ids = await opened.db.tx(async (tx) => [await writeEvent(tx, event(1)), await writeEvent(tx, event(2))])
    expect(ids).toEqual([expect.stringMatching(/^evt_/), expect.stringMatching(/^evt_/)])
    expect(await rows()).toEqual([
      { id: ids[0], ...event(1) },
      { id: ids[1], ...event(2) },
    ])
  })

  it('leaves nothing when its change is undone, not even a wake-up', async () => {
    const ears = await listenUntilTestEnds(opened.db, OUTBOX_CHANNEL)
    const undone = opened.db.tx(async (tx) => {
      await writeEvent(tx, event(1))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await rows()).toEqual([])
    const heardBefore = [...ears.received]
    await write(2)
    expect(heardBefore).toEqual([])
    expect(await ears.until(1)).toEqual([''])
  })

  it('wakes its listener once for all events of a change', async () => {
    const ears = await listenUntilTestEnds(opened.db, OUTBOX_CHANNEL)
    const mark = await listenUntilTestEnds(opened.db, 'mark')
    await opened.db.tx(async (tx) => {
      for (const n of [1, 2, 3]) await writeEvent(tx, event(n))
    })
    await opened.db.query(sql`select pg_notify('mark', '')`)
    await mark.until(1)
    expect(ears.received).toEqual([''])
  })
})

describe('NO-01 taking events', () => {
  it('removes the oldest ones and returns them in order', async () => {
    const ids = [await write(1), await write(2), await write(3)]
    expect(await take(2)).toEqual([
      { id: ids[0], ...event(1) },
      { id: ids[1], ...event(2) },
    ])
    expect(await rows()).toEqual([{ id: ids[2], ...event(3) }])
    expect((await take()).map(({ id }) => id)).toEqual([ids[2]])
    expect(await take()).toEqual([])
  })

  it('leaves them in the outbox when the transaction is rolled back', async () => {
    const id = await write(1)
    const failed = opened.db.tx(async (tx) => {
      await takeEvents(tx, 1)
      throw new Error('could not be stored')
    })
    await expect(failed).rejects.toThrow('could not be stored')
    expect((await take()).map((taken) => taken.id)).toEqual([id])
  })
})

needs('postgres')('NO-01 transactions that take or write at once', () => {
  it('an event of a long transaction is taken after events with higher ids', async () => {
    const written = Promise.withResolvers<string>()
    const mayCommit = Promise.withResolvers<void>()
    const long = opened.db.tx(async (tx) => {
      written.resolve(await writeEvent(tx, event(1)))
      await mayCommit.promise
    })
    const first = await written.promise
    const second = await write(2)
    expect(first < second).toBe(true)
    expect((await take()).map(({ id }) => id)).toEqual([second])
    mayCommit.resolve()
    await long
    expect((await take()).map(({ id }) => id)).toEqual([first])
  })

  it('each event is taken by one of them, and none waits for another', async () => {
    const ids = [await write(1), await write(2), await write(3)]
    const taken = Promise.withResolvers<string[]>()
    const mayCommit = Promise.withResolvers<void>()
    const slow = opened.db.tx(async (tx) => {
      taken.resolve((await takeEvents(tx, 2)).map(({ id }) => id))
      await mayCommit.promise
    })
    expect(await taken.promise).toEqual(ids.slice(0, 2))
    expect((await take()).map(({ id }) => id)).toEqual(ids.slice(2))
    mayCommit.resolve()
    await slow
    expect(await rows()).toEqual([])
  })

  it('no event is read that is not taken, though the statement was planned while the outbox was empty', async () => {
    const read = await opened.db.tx(async (tx) => {
      // Postgres plans a statement anew for each of its first five runs.
      for (let run = 0; run < 7; run++) await takeEvents(tx, 200)
      await tx.query(sql`
        insert into svc.outbox (id, org_id, type, body, occurred_at)
        select 'evt_' || lpad(n::text, 6, '0'), 'org_1', 'thing.made', '{}', ${occurred_at}::timestamptz
        from generate_series(1, 5000) as n`)
      expect(await takeEvents(tx, 200)).toHaveLength(200)
      const [table] = await tx.query<{ rows: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
        where relid = 'svc.outbox'::regclass`)
      return table!.rows
    })
    // Each of the 200 is found once to be locked and once to be removed, perhaps with a few dead ones.
    expect(read).toBeLessThan(1_000)
  })

  it('dead rows of the outbox are vacuumed by count, not by share', async () => {
    const [table] = await opened.db.query<{ reloptions: string[] }>(sql`
      select reloptions from pg_class where oid = 'svc.outbox'::regclass`)
    expect(table!.reloptions).toEqual(
      expect.arrayContaining(['autovacuum_vacuum_scale_factor=0', 'autovacuum_vacuum_threshold=2000']),
    )
  })
})
