import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { addToInbox, markRead } from './store.ts'

needs('postgres')('NO-13 concurrent changes of an inbox', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await openTestDatabase()
  })
  afterAll(() => test?.[Symbol.asyncDispose]())

  const eventIn = (org_id: string) => ({
    event_id: newId('evt'),
    event_type: 'deploy.failed' as const,
    subject: 'x',
    occurred_at: new Date(0),
    org_id,
    app: null,
    link: '/',
  })

  it('sixteen transactions that add one event, each with the people in another order, make one entry per person', async () => {
    const event = eventIn(newId('org'))
    const people = Array.from({ length: 40 }, () => newId('usr'))
    const turned = (n: number) => [...people.slice(n), ...people.slice(0, n)]
    const adds = Array.from({ length: 16 }, (_, n) => test.db.tx((tx) => addToInbox(tx, event, turned(n * 2))))
    const added = (await Promise.all(adds)).flat()
    expect(added.map(({ user_id }) => user_id).sort()).toEqual([...people].sort())
    const rows = await test.db.query(sql`select id from notifications.inbox where event_id = ${event.event_id}`)
    expect(rows).toHaveLength(40)
  })

  it('adding an event that waits for a transaction which is then rolled back adds the entry', async () => {
    const event = eventIn(newId('org'))
    const user = newId('usr')
    let inserted = () => {}
    let letGo = () => {}
    const hasInserted = new Promise<void>((resolve) => (inserted = resolve))
    const mayEnd = new Promise<void>((resolve) => (letGo = resolve))
    const undone = test.db.tx(async (tx) => {
      await addToInbox(tx, event, [user])
      inserted()
      await mayEnd
      throw new Error('undone')
    })
    await hasInserted
    const replay = test.db.tx((tx) => addToInbox(tx, event, [user]))
    letGo()
    await expect(undone).rejects.toThrow('undone')
    expect(await replay).toHaveLength(1)
  })

  it('concurrent acks of an entry answer the same time', async () => {
    const event = eventIn(newId('org'))
    const owner = { org_id: event.org_id, user_id: newId('usr') }
    const [entry] = await test.db.tx((tx) => addToInbox(tx, event, [owner.user_id]))
    const acks = Array.from({ length: 8 }, (_, n) => markRead(test.db, entry!.id, owner, new Date(1000 + n)))
    const times = (await Promise.all(acks)).map((row) => row!.read_at!.getTime())
    expect(new Set(times).size).toBe(1)
  })
})
