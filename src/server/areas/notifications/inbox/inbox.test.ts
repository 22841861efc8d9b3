import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { removeMember } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { ackInbox, ackNotification, listInbox } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type TestClock, testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'
import { addToInbox, type InboxEvent } from './store.ts'

const OCCURRED = '2026-02-03T04:05:06.789Z'

describe('NO-13 the inbox', () => {
  let system: System
  let clock: TestClock
  beforeAll(async () => {
    clock = testClock(new Date('2026-03-01T00:00:00.000Z'))
    system = await startSystem({ clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  type Who = { org_id: string; user_id: string; token: string }
  const eventIn = (org_id: string, over: Partial<InboxEvent> = {}): InboxEvent => ({
    event_id: newId('evt'),
    event_type: 'deploy.failed',
    subject: 'The deploy failed',
    occurred_at: new Date(OCCURRED),
    org_id,
    app: null,
    link: '/apps/shop',
    ...over,
  })
  const add = (event: InboxEvent, ...people: Who[]) =>
    system.db.tx((tx) =>
      addToInbox(
        tx,
        event,
        people.map(({ user_id }) => user_id),
      ),
    )
  const notify = async (who: Who, over: Partial<InboxEvent> = {}) => (await add(eventIn(who.org_id, over), who))[0]!.id
  const list = ({ token }: Who, input: { unread?: boolean; limit?: number; cursor?: string } = {}) =>
    system.client(token).call(listInbox, input)
  const idsOf = async (who: Who, input = {}) => (await list(who, input)).items.map(({ id }) => id)
  const ack = ({ token }: Who, id: string) => system.client(token).call(ackNotification, { id })
  const get = ({ token }: Who, query: string) =>
    fetch(`${system.url}/api/notifications/inbox${query}`, { headers: { authorization: `Bearer ${token}` } })
  const refusalOf = async (who: Who, id: string) => {
    const error = await ack(who, id).catch((refused) => refused)
    return { status: error.status, code: error.code, message: error.message }
  }

  it('an entry is the thin object with the time it was read, and has an app only where there is one', async () => {
    const who = await system.member('admin')
    const first = await notify(who, { app: 'shop' })
    const second = await notify(who, { event_type: 'org.support_access.started', subject: 'Staff\nentered' })
    expect(first).toMatch(/^ntf_/)
    expect(await list(who)).toEqual({
      items: [
        {
          id: second,
          event_type: 'org.support_access.started',
          subject: 'Staff entered',
          occurred_at: OCCURRED,
          org_id: who.org_id,
          link: `${system.url}/apps/shop`,
          read_at: null,
        },
        {
          id: first,
          event_type: 'deploy.failed',
          subject: 'The deploy failed',
          occurred_at: OCCURRED,
          org_id: who.org_id,
          app: 'shop',
          link: `${system.url}/apps/shop`,
          read_at: null,
        },
      ],
      next_cursor: null,
    })
  })

  it('entries of the same moment are paged newest first without a gap or a repetition', async () => {
    const who = await system.member('viewer')
    const notificationIds: string[] = []
    for (let n = 0; n < 5; n++) notificationIds.unshift(await notify(who))
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await list(who, { limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
      // An entry that comes in meanwhile is above the others and moves none.
      await notify(who)
    } while (cursor)
    expect(seen).toEqual(notificationIds)
  })

  it('a page with exactly the rest of the entries has no next cursor', async () => {
    const who = await system.member('viewer')
    await notify(who)
    expect((await list(who, { limit: 1 })).next_cursor).toBeNull()
  })

  it('unread=true leaves out what was read, also across pages; false shows all', async () => {
    const who = await system.member('viewer')
    const [a, b, c, d] = [await notify(who), await notify(who), await notify(who), await notify(who)]
    await ack(who, c)
    const page = await list(who, { unread: true, limit: 2 })
    expect(page.items.map(({ id }) => id)).toEqual([d, b])
    expect(await idsOf(who, { unread: true, limit: 2, cursor: page.next_cursor })).toEqual([a])
    expect(await idsOf(who, { unread: false })).toEqual([d, c, b, a])
  })

  it('NO-13 all are marked up to one that was seen: not a later one, nor those of others or of another organization', async () => {
    const who = await system.member('viewer')
    const other = await system.member('viewer', who.org_id)
    const [first, second, later] = [await notify(who), await notify(who), await notify(who)]
    const [theirs, elsewhere] = [await notify(other), newId('org')]
    await add(eventIn(elsewhere), who)
    const read_at = clock.now().toISOString()
    await ack(who, first)
    clock.advance(1000)
    const ackAll = (up_to: string) => system.client(who.token).call(ackInbox, { up_to })
    expect(await ackAll(second)).toEqual({ marked: 1 })
    expect(await idsOf(who, { unread: true })).toEqual([later])
    expect((await list(who)).items.at(-1)).toMatchObject({ id: first, read_at })
    expect(await idsOf(other, { unread: true })).toEqual([theirs])
    const [unread] = await system.db.query<{ n: number }>(sql`
      select count(*)::int as n from notifications.inbox where org_id = ${elsewhere} and read_at is null`)
    expect(unread).toEqual({ n: 1 })
    expect(await ackAll(second)).toEqual({ marked: 0 })
    await expect(ackAll('ntf_none')).rejects.toMatchObject({ status: 400, errors: [{ path: 'up_to' }] })
  })

  it('a second ack answers the same object with the time of the first', async () => {
    const who = await system.member('viewer')
    const id = await notify(who)
    const read_at = clock.now().toISOString()
    const first = await ack(who, id)
    expect(first).toMatchObject({ id, subject: 'The deploy failed', read_at })
    clock.advance(1000)
    expect(await ack(who, id)).toEqual(first)
    expect((await list(who)).items).toEqual([first])
  })

  it('two people with an entry for one event mark it as read each for themselves', async () => {
    const one = await system.member('viewer')
    const two = await system.member('owner', one.org_id)
    await add(eventIn(one.org_id), one, two)
    const [mine] = await idsOf(one)
    const [theirs] = await idsOf(two)
    expect(mine).not.toBe(theirs)
    await ack(one, mine!)
    expect(await idsOf(one, { unread: true })).toEqual([])
    expect(await idsOf(two, { unread: true })).toEqual([theirs])
  })

  it('an entry of somebody else is the same 404 as an unknown one, also to an owner', async () => {
    const one = await system.member('viewer')
    const owner = await system.member('owner', one.org_id)
    const id = await notify(one)
    const unknown = await refusalOf(owner, newId('ntf'))
    expect(unknown).toEqual({ status: 404, code: 'NOT_FOUND', message: 'No such notification.' })
    expect(await refusalOf(owner, id)).toEqual(unknown)
    expect(await refusalOf(owner, 'no id at all')).toEqual(unknown)
    expect((await list(one)).items[0]!.read_at).toBeNull()
  })

  it('a person has one inbox in each organization', async () => {
    const here = await system.member('viewer')
    const { id: org_id } = await system.operator.call(adminCreateOrg, { name: 'There' })
    const createdToken = await system.operator.call(adminCreateToken, {
      org_id,
      email: here.email,
      role: 'viewer',
      name: 't',
    })
    system.secrets.push(createdToken.token)
    const there = { org_id, user_id: createdToken.user_id, token: createdToken.token }
    expect(there.user_id).toBe(here.user_id)
    const [mine, other] = [await notify(here), await notify(there)]
    expect([await idsOf(here), await idsOf(there)]).toEqual([[mine], [other]])
    expect((await refusalOf(here, other)).status).toBe(404)
  })

  it('adding an event again adds no entry, returns none and leaves read entries read', async () => {
    const one = await system.member('viewer')
    const two = await system.member('viewer', one.org_id)
    const event = eventIn(one.org_id)
    const [entry] = await add(event, one, one)
    await ack(one, entry!.id)
    const again = await add({ ...event, subject: 'Another subject' }, one, two)
    expect(again.map(({ user_id }) => user_id)).toEqual([two.user_id])
    expect(await add(event, one, two)).toEqual([])
    expect((await list(one)).items).toMatchObject([{ id: entry!.id, subject: 'The deploy failed' }])
    expect(await idsOf(one, { unread: true })).toEqual([])
  })

  it('an event without people adds nothing, and a transaction that is rolled back leaves no entry', async () => {
    const who = await system.member('viewer')
    expect(await add(eventIn(who.org_id))).toEqual([])
    const undone = system.db.tx(async (tx) => {
      await addToInbox(tx, eventIn(who.org_id), [who.user_id])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await idsOf(who)).toEqual([])
  })

  it('a removed member reads nothing', async () => {
    const owner = await system.member('owner')
    const gone = await system.member('viewer', owner.org_id)
    const id = await notify(gone)
    await system.client(owner.token).call(removeMember, { org_id: owner.org_id, user_id: gone.user_id })
    await expect(list(gone)).rejects.toMatchObject({ status: 401 })
    await expect(ack(gone, id)).rejects.toMatchObject({ status: 401 })
  })

  it('a support session has no inbox, read-only or raised', async () => {
    const owner = await system.member('owner')
    const input = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'look' }
    const support = await system.operator.call(startSupport, input)
    system.secrets.push(support.token)
    const staff = { ...owner, token: support.token }
    const refused = { status: 403, code: 'FORBIDDEN', message: 'Support sessions may not use this operation.' }
    await expect(list(staff)).rejects.toMatchObject(refused)
    await system.operator.call(elevateSupport, { id: support.id })
    await expect(list(staff)).rejects.toMatchObject(refused)
    expect(await refusalOf(staff, await notify(owner))).toEqual(refused)
  })

  it.each(['?limit=0', '?limit=101', '?cursor=AAAA', '?unread=maybe', '?user_id=usr_x'])('%s is 400', async (query) => {
    expect((await get(await system.member('viewer'), query)).status).toBe(400)
  })

  it('an ack takes nothing but the id', async () => {
    const who = await system.member('viewer')
    const response = await fetch(`${system.url}/api/notifications/inbox/${await notify(who)}/ack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/json' },
      body: '{"read_at": null}',
    })
    expect(response.status).toBe(400)
  })
})
