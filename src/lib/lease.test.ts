import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/help/database.ts'
import { needs } from '../../test/help/stores.ts'
import { testClock } from './clock.ts'
import { sql } from './db/sql.ts'
import { holdsLease, type Lease, releaseLease, takeLease } from './lease.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const clock = testClock()
const take = (name: string, holder: string, seconds = 10) =>
  takeLease(opened.db, { name, holder, seconds, now: clock.now() })
const holds = (lease: Lease | undefined) => opened.db.tx((tx) => holdsLease(tx, lease!, clock.now()))

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

  it('is not taken over while the holder writes under it, even when it runs out meanwhile', async () => {
    const lease = await take('written under', 'a')
    const happened: string[] = []
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = opened.db.tx(async (tx) => {
      expect(await holdsLease(tx, lease!, clock.now())).toBe(true)
      held.resolve()
      await go.promise
      happened.push('written')
    })
    await held.promise
    clock.advance(10_000)
    const takeover = take('written under', 'b').then((taken) => {
      happened.push('taken over')
      return taken
    })
    await vi.waitUntil(async () => {
      const waiting = await opened.db.query(sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%svc.leases%'`)
      return waiting.length === 1
    })
    go.resolve()
    await writing
    expect(await takeover).toMatchObject({ holder: 'b', fence: 2 })
    expect(happened).toEqual(['written', 'taken over'])
    expect(await holds(lease)).toBe(false)
  })
})
