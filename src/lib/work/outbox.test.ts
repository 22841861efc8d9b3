import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { hear } from '#test/ears.ts'
import { sql } from '../db/sql.ts'
import { isId } from '../ids.ts'
import { emit, OUTBOX_CHANNEL } from './outbox.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.db.query(sql`delete from svc.outbox`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const occurred_at = new Date('2026-02-03T04:05:06.789Z')
const event = (n: number) => ({ type: 'thing.made', org_id: 'org_1', occurred_at, body: { n, of: ['a', { b: null }] } })
const rows = () =>
  opened.db.query(sql`select id, org_id, type, body, occurred_at, shipped_at from svc.outbox order by id`)

describe('an event', () => {
  it('is kept with its change, unshipped, in the order of emitting', async () => {
    const ids = await opened.db.tx(async (tx) => [await emit(tx, event(1)), await emit(tx, event(2))])
    expect(ids.every((id) => isId('evt', id))).toBe(true)
    expect(await rows()).toEqual([
      { id: ids[0], ...event(1), shipped_at: null },
      { id: ids[1], ...event(2), shipped_at: null },
    ])
  })

  it('leaves nothing when its change is undone, not even a wake-up', async () => {
    const ears = await hear(opened.db, OUTBOX_CHANNEL)
    const undone = opened.db.tx(async (tx) => {
      await emit(tx, event(1))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await rows()).toEqual([])
    const heardBefore = [...ears.heard]
    await opened.db.tx((tx) => emit(tx, event(2)))
    expect(heardBefore).toEqual([])
    expect(await ears.until(1)).toEqual([''])
  })

  it('wakes its listener once however many a change tells', async () => {
    const ears = await hear(opened.db, OUTBOX_CHANNEL)
    const mark = await hear(opened.db, 'mark')
    await opened.db.tx(async (tx) => {
      for (const n of [1, 2, 3]) await emit(tx, event(n))
    })
    await opened.db.query(sql`select pg_notify('mark', '')`)
    await mark.until(1)
    expect(ears.heard).toEqual([''])
  })
})
