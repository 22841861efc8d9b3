import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { collectNotifications, listenUntilTestEnds } from '#test/listen.ts'
import type { Db, Querier } from './db.ts'
import { sql } from './sql.ts'

let opened: TestDatabase
let db: Db

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const notify = (by: Querier, channel: string, payload: string) =>
  by.query(sql`select pg_notify(${channel}, ${payload})`)

describe('listening', () => {
  it('receives a notification of a plain query', async () => {
    const ears = await listenUntilTestEnds(db, 'plain')
    await notify(db, 'plain', 'one')
    expect(await ears.until(1)).toEqual(['one'])
  })

  it('receives notifications of a transaction after its commit, in order, and none of one rolled back', async () => {
    const ears = await listenUntilTestEnds(db, 'after commit')
    const heardInside = await db.tx(async (tx) => {
      await notify(tx, 'after commit', 'one')
      await notify(tx, 'after commit', 'two')
      return [...ears.received]
    })
    const rolledBack = db.tx(async (tx) => {
      await notify(tx, 'after commit', 'never')
      throw new Error('no')
    })
    await expect(rolledBack).rejects.toThrow('no')
    await notify(db, 'after commit', 'three')
    expect(heardInside).toEqual([])
    expect(await ears.until(3)).toEqual(['one', 'two', 'three'])
  })

  it('receives only its own channel, whatever its name', async () => {
    const ears = await listenUntilTestEnds(db, 'a "quoted"; Channel')
    const others = await listenUntilTestEnds(db, 'another')
    await notify(db, 'a "quoted"; Channel', 'mine')
    await notify(db, 'another', 'theirs')
    expect(await others.until(1)).toEqual(['theirs'])
    expect(await ears.until(1)).toEqual(['mine'])
  })

  it('ends when disposed, and continues for other listeners of the channel', async () => {
    const [first, second] = [collectNotifications(), collectNotifications()]
    const one = await db.listen('shared', first.onNotify)
    const two = await db.listen('shared', second.onNotify)
    await notify(db, 'shared', 'both')
    await Promise.all([first.until(1), second.until(1)])
    await one[Symbol.asyncDispose]()
    await notify(db, 'shared', 'second only')
    expect(await second.until(2)).toEqual(['both', 'second only'])

    await two[Symbol.asyncDispose]()
    const last = await listenUntilTestEnds(db, 'mark')
    await notify(db, 'shared', 'nobody')
    await notify(db, 'mark', 'after')
    await last.until(1)
    expect([first.received, second.received]).toEqual([['both'], ['both', 'second only']])
  })

  it('can start again on a channel, and disposing the first listener twice changes nothing', async () => {
    const left = await db.listen('again', () => {})
    await left[Symbol.asyncDispose]()
    const ears = await listenUntilTestEnds(db, 'again')
    await left[Symbol.asyncDispose]()
    await notify(db, 'again', 'heard')
    expect(await ears.until(1)).toEqual(['heard'])
  })

  it('is not disturbed by a statement that fails', async () => {
    const ears = await listenUntilTestEnds(db, 'quiet')
    await expect(db.query(sql`select 1 / ${0}::int`)).rejects.toMatchObject({ code: '22012' })
    await expect(db.tx((tx) => tx.query(sql`select 1 / ${0}::int`))).rejects.toMatchObject({ code: '22012' })
    await notify(db, 'quiet', 'one')
    expect(await ears.until(1)).toEqual(['one'])
  })

  it('may query in its callback, although the notification came with a transaction', async () => {
    const answer = Promise.withResolvers<unknown>()
    await db.listen('ask', () => {
      db.query(sql`select 1 as one`).then(answer.resolve, answer.reject)
    })
    await db.tx((tx) => notify(tx, 'ask', ''))
    expect(await answer.promise).toEqual([{ one: 1 }])
  })
})
