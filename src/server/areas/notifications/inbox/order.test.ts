import { afterAll, beforeAll, expect, it } from 'vitest'
import { lowestId, newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { addToInbox, type InboxOwner, pageNewEntries } from './store.ts'

needs('postgres')('NO-16 the order of an inbox under concurrent transactions', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await openTestDatabase()
  })
  afterAll(() => test?.[Symbol.asyncDispose]())

  const FIRST = lowestId('ntf', new Date(0))
  const ownerOf = (): InboxOwner => ({ org_id: newId('org'), user_id: newId('usr') })
  const eventIn = (org_id: string, subject: string) => ({
    event_id: newId('evt'),
    event_type: 'deploy.failed' as const,
    subject,
    occurred_at: new Date(0),
    org_id,
    app: null,
    link: '/',
  })
  const subjectsAfter = async (owner: InboxOwner, after: string) =>
    (await pageNewEntries(test.db, owner, { unread: false, after, limit: 100 })).map(({ subject }) => subject)
  const waitingForLocks = async () => {
    const rows = await test.db.query(sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    return rows.length > 0
  }

  it('an entry that is committed late comes after those that a reader has seen', async () => {
    const owner = ownerOf()
    const inserted = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const late = test.db.tx(async (tx) => {
      await addToInbox(tx, eventIn(owner.org_id, 'late'), [owner.user_id])
      inserted.resolve()
      await mayEnd.promise
    })
    await inserted.promise
    const next = test.db.tx((tx) => addToInbox(tx, eventIn(owner.org_id, 'next'), [owner.user_id]))
    await until(waitingForLocks)
    // The second transaction cannot be committed first, so a reader sees nothing that the late one could come before.
    expect(await subjectsAfter(owner, FIRST)).toEqual([])
    mayEnd.resolve()
    await Promise.all([late, next])
    expect(await subjectsAfter(owner, FIRST)).toEqual(['late', 'next'])
  })

  it('an inbox does not wait for that of another person in the same organization', async () => {
    const one = ownerOf()
    const two = { ...one, user_id: newId('usr') }
    const inserted = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const held = test.db.tx(async (tx) => {
      await addToInbox(tx, eventIn(one.org_id, 'held'), [one.user_id])
      inserted.resolve()
      await mayEnd.promise
    })
    await inserted.promise
    await test.db.tx((tx) => addToInbox(tx, eventIn(two.org_id, 'free'), [two.user_id]))
    expect([await subjectsAfter(one, FIRST), await subjectsAfter(two, FIRST)]).toEqual([[], ['free']])
    mayEnd.resolve()
    await held
  })

  it('readers that go on after the last entry they saw see all entries once, whoever adds them', async () => {
    const owner = ownerOf()
    const add = (n: number) => test.db.tx((tx) => addToInbox(tx, eventIn(owner.org_id, `${n}`), [owner.user_id]))
    const adding = Promise.all(Array.from({ length: 60 }, (_, n) => add(n)))
    const seen: string[] = []
    let after = FIRST
    await until(async () => {
      const rows = await pageNewEntries(test.db, owner, { unread: false, after, limit: 7 })
      seen.push(...rows.map(({ subject }) => subject))
      after = rows.at(-1)?.id ?? after
      return seen.length >= 60
    })
    await adding
    expect(await subjectsAfter(owner, after)).toEqual([])
    expect(seen.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  })

  it('an entry comes after one of a process whose clock is ahead', async () => {
    const owner = ownerOf()
    const ahead = lowestId('ntf', new Date(Date.now() + 2_000))
    await test.db.query(sql`
      insert into notifications.inbox (id, user_id, event_id, org_id, event_type, subject, occurred_at, link)
      values (${ahead}, ${owner.user_id}, ${newId('evt')}, ${owner.org_id}, 'deploy.failed', 'ahead', now(), '/')`)
    await test.db.tx((tx) => addToInbox(tx, eventIn(owner.org_id, 'after'), [owner.user_id]))
    expect(await subjectsAfter(owner, ahead)).toEqual(['after'])
  })
})
