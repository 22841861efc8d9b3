import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import { removeMember } from '#contract/auth/members.ts'
import { startSupport } from '#contract/auth/support.ts'
import { createToken, revokeToken } from '#contract/auth/tokens.ts'
import {
  BEFORE_ALL_NOTIFICATIONS,
  countUnread,
  followInbox,
  type InboxEvent,
  listInbox,
} from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { type Mode, type System, startSystem } from '#test/system.ts'
import { addToInbox } from './store.ts'

type Who = Awaited<ReturnType<System['member']>>

describe.each<Mode>(['together', 'apart'])('NO-16 the stream of an inbox, services %s', (mode) => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ mode })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const notify = async ({ org_id, user_id }: Who, subject: string, app: string | null = null) => {
    const rest = { event_type: 'deploy.failed', occurred_at: new Date(0), link: '/' } as const
    const event = { ...rest, event_id: newId('evt'), subject, org_id, app }
    return (await system.db.tx((tx) => addToInbox(tx, event, [user_id])))[0]!.id
  }
  const follow = ({ token }: Pick<Who, 'token'>, last_id?: string) =>
    system.client(token).stream(followInbox, last_id === undefined ? {} : { last_id })
  type Stream = ReturnType<typeof follow>
  const started = async (who: Pick<Who, 'token'>) => {
    const stream = follow(who)
    const { value } = (await stream.next()) as { value: InboxEvent }
    return { stream, start: value }
  }
  const subjectsOf = async (stream: Stream, count: number) => {
    const subjects: string[] = []
    while (subjects.length < count) {
      const { value } = await stream.next()
      subjects.push(value!.type === 'notification' ? value!.subject : value!.type)
    }
    return subjects
  }

  it('begins with the place it begins at, and sends what the list shows, once each and in order', async () => {
    const who = await system.member('viewer')
    await notify(who, 'before')
    const { stream, start } = await started(who)
    const [newest] = (await system.client(who.token).call(listInbox, {})).items
    expect(start).toEqual({ type: 'start', id: newest!.id })
    await notify(await system.member('viewer', who.org_id), 'of somebody else')
    await notify(who, 'one')
    const { value } = await stream.next()
    const [shown] = (await system.client(who.token).call(listInbox, {})).items
    expect(value).toEqual({ type: 'notification', ...shown })
    await notify(who, 'two')
    await notify(who, 'three')
    expect(await subjectsOf(stream, 2)).toEqual(['two', 'three'])
    await stream.return(undefined)
  })

  it('goes on after the last event, also after the start of an empty inbox', async () => {
    const who = await system.member('viewer')
    const { stream, start } = await started(who)
    expect(start.id).toBe('ntf_00000000000000000000000000')
    await stream.return(undefined)
    const one = await notify(who, 'one')
    await notify(who, 'two')
    const all = follow(who, start.id)
    expect(await subjectsOf(all, 2)).toEqual(['one', 'two'])
    await all.return(undefined)
    const rest = follow(who, one)
    expect(await subjectsOf(rest, 1)).toEqual(['two'])
    await notify(who, 'three')
    expect(await subjectsOf(rest, 1)).toEqual(['three'])
    await rest.return(undefined)
  })

  it('sends server-sent events with ids, which a browser repeats as Last-Event-ID', async () => {
    const who = await system.member('viewer')
    const id = await notify(who, 'one')
    const two = await notify(who, 'two')
    const headers = { authorization: `Bearer ${who.token}`, accept: 'text/event-stream', 'last-event-id': id }
    const response = await fetch(`${system.url}/api/notifications/inbox/follow`, { headers })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const { value } = await reader.read()
    expect(value).toMatch(new RegExp(`^id: ${two}\ndata: \\{"id":"${two}",.*"type":"notification"\\}\n\n$`))
    await reader.cancel()
  })

  it('a revoked token ends it before the next event', async () => {
    const who = await system.member('owner')
    const { id, token } = await system.client(who.token).call(createToken, { name: 'short-lived' })
    system.secrets.push(token)
    const { stream } = await started({ token })
    await notify(who, 'one')
    expect(await subjectsOf(stream, 1)).toEqual(['one'])
    await system.client(who.token).call(revokeToken, { id })
    await notify(who, 'two')
    await expect(stream.next()).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(follow({ token }).next()).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('a removed member gets no further event', async () => {
    const owner = await system.member('owner')
    const gone = await system.member('viewer', owner.org_id)
    const { stream } = await started(gone)
    await system.client(owner.token).call(removeMember, { org_id: owner.org_id, user_id: gone.user_id })
    await notify(gone, 'one')
    await expect(stream.next()).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('an app in which the person has no part any more is left out, of the list and the unread count too', async () => {
    const owner = await system.member('owner')
    const who = await system.member('member', owner.org_id)
    const admin = system.client(owner.token)
    await admin.call(createApp, { alias: 'shop', name: 'Shop' })
    await admin.call(setAppPerson, { alias: 'shop', user_id: who.user_id, part: 'builder' })
    const { stream, start } = await started(who)
    await notify(who, 'with a part', 'shop')
    expect(await subjectsOf(stream, 1)).toEqual(['with a part'])
    await admin.call(removeAppPerson, { alias: 'shop', user_id: who.user_id })
    await notify(who, 'without a part', 'shop')
    await notify(who, 'about no app')
    expect(await subjectsOf(stream, 1)).toEqual(['about no app'])
    await stream.return(undefined)
    const client = system.client(who.token)
    for (const input of [{ since: start.id }, {}]) {
      const { items } = await client.call(listInbox, input)
      expect(items.map(({ subject }) => subject)).toEqual(['about no app'])
    }
    expect(await client.call(countUnread, {})).toEqual({ unread: 1 })
    await notify(who, 'without a part again', 'shop')
    expect(await client.call(listInbox, { limit: 1 })).toEqual({ items: [], next_cursor: expect.any(String) })
    await notify(owner, 'to an owner', 'shop')
    const since = { since: BEFORE_ALL_NOTIFICATIONS }
    expect((await admin.call(listInbox, since)).items.map(({ subject }) => subject)).toEqual(['to an owner'])
  })

  it('one person has at most 30 streams, and a place is free again when one ends', async () => {
    const who = await system.member('viewer')
    const streams = await Promise.all(Array.from({ length: 30 }, async () => (await started(who)).stream))
    await expect(follow(who).next()).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const other = await started(await system.member('viewer', who.org_id))
    await other.stream.return(undefined)
    for (const stream of streams) await stream.return(undefined)
  })

  it('a support session has no stream', async () => {
    const owner = await system.member('owner')
    const input = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'look' }
    const support = await system.operator.call(startSupport, input)
    system.secrets.push(support.token)
    await expect(follow(support).next()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it.each([
    'ntf_1',
    'evt_00000000000000000000000000',
    'ntf_z0000000000000000000000000',
    'ntf_0000000000000000000000000u',
  ])('the place %s is 400, of the list too', async (place) => {
    const { token } = await system.member('viewer')
    await expect(follow({ token }, place).next()).rejects.toMatchObject({
      status: 400,
      message: 'last_id: must be the id of a notification',
    })
    await expect(system.client(token).call(listInbox, { since: place })).rejects.toMatchObject({
      status: 400,
      message: 'since: must be the id of a notification',
    })
  })

  it('a list since an entry is paged oldest first, without a gap or a repetition', async () => {
    const who = await system.member('viewer')
    const client = system.client(who.token)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await notify(who, `${n}`))
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await client.call(listInbox, { since: ids[0]!, limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(ids.slice(1))
    expect(await client.call(listInbox, { since: ids[4]! })).toEqual({ items: [], next_cursor: null })
  })
})
