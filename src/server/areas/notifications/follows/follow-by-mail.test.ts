import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import type { EventOf } from '#contract/core/events.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { listFollows, setFollow } from '#contract/notifications/follows.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { emit } from '#ports/emit.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const HOME = 'https://svc.example.com'

describe('NO-18 following by mail', () => {
  let system: System
  let server: TestMailServer
  let person: Awaited<ReturnType<System['member']>>
  let shop: { id: string; alias: string; name: string }
  beforeAll(async () => {
    server = await startMailServer()
    const { host, port } = server.address
    system = await startSystem({
      env: {
        SVC_SMTP_URL: `smtp://${host}:${port}`,
        SVC_MAIL_FROM: 'svc@example.com',
        SVC_REDIRECT_BASE_URL: HOME,
      },
    })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    person = await system.member('admin')
    shop = await api().call(createApp, { alias: 'shop', name: 'Shop' })
    await api().call(createApp, { alias: 'blog', name: 'Blog' })
    server.received.length = 0
  })

  const api = () => system.client(person.token)
  const follow = (app: string, via?: 'chat' | 'mail') =>
    api().call(setFollow, { app, categories: ['failed_deploys', 'tickets'], ...(via && { via }) })
  const failed = ({ id, alias, name }: typeof shop): EventOf<'deploy.failed'> => ({
    type: 'deploy.failed',
    org_id: person.org_id,
    occurred_at: new Date(),
    body: { status: 'BUILD_FAILED', actor_id: null, app: { id, alias, name }, deployment_id: newId('dep') },
  })
  const happens = (event: EventOf) => system.db.tx((tx) => emit(tx, event))
  /** The entries of the ledger, once none of them waits. */
  const ended = (count: number) =>
    until(async () => {
      const { items } = await api().call(listDeliveries, {})
      return items.length === count && items.every(({ status }) => status !== 'pending') ? items : undefined
    })
  const mails = () => Promise.all(server.received.map(({ message }) => PostalMime.parse(message)))
  const linkIn = (text: string | undefined) => /https:\S+\/unsubscribe\/\S+/.exec(text ?? '')![0]
  const press = (link: string) =>
    fetch(`${system.url}${new URL(link).pathname}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })

  it('is off until chosen: then a follow is a direct message, which is not sent without a chat account', async () => {
    expect(await follow('shop')).toMatchObject({ via: 'chat' })
    await happens(failed(shop))
    expect(await ended(1)).toMatchObject([
      { status: 'not_sent', reason: 'chat_not_linked', destination: { kind: 'chat_dm' } },
    ])
    expect(server.received).toEqual([])
  })

  it('mails the app, the category, the status code and one link, once and nowhere else', async () => {
    expect(await follow('shop', 'mail')).toMatchObject({ via: 'mail' })
    const event = failed(shop)
    await happens(event)
    const entries = await ended(1)
    expect(entries).toMatchObject([{ status: 'delivered', destination: { kind: 'email', user_id: person.user_id } }])
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    const link = linkIn(mail!.text)
    expect(server.received[0]!.to).toEqual([person.email])
    expect(mail!.subject).toBe('Shop · Failed deploys · BUILD_FAILED')
    expect(mail!.text?.trimEnd()).toBe(
      `Shop · Failed deploys · BUILD_FAILED\n\n${HOME}/apps/shop/deploys/${event.body.deployment_id}\n\n-- \nStop following this app: ${link}`,
    )
    const header = (name: string) => mail!.headers.find(({ key }) => key === name)?.value
    expect(header('list-unsubscribe')).toBe(`<${link}>`)
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect((await api().call(listFollows, {})).items).toMatchObject([{ last_outcome: { status: 'delivered' } }])
    expect((await api().call(listInbox, {})).items).toHaveLength(1)
  })

  it('a title that somebody typed is in no mail', async () => {
    await follow('shop', 'mail')
    const ticket = { id: newId('tkt'), title: 'My password is hunter2' }
    await happens({
      type: 'support.ticket.created',
      org_id: person.org_id,
      occurred_at: new Date(),
      body: { status: 'filed', actor_id: null, app: failed(shop).body.app, ticket, reporter_id: null },
    })
    await ended(1)
    const [mail] = await mails()
    expect(mail!.subject).toBe('Shop · Tickets · filed')
    expect(server.received[0]!.message.toString()).not.toContain('hunter2')
  })

  it('the link of a mail ends that one follow without a sign-in, also after following again, and nothing else', async () => {
    await follow('shop', 'mail')
    await follow('blog', 'mail')
    await happens(failed(shop))
    await ended(1)
    const link = linkIn((await mails())[0]!.text)
    const page = await fetch(`${system.url}${new URL(link).pathname}`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Stop following this app?')])
    const following = async () => (await api().call(listFollows, {})).items.map(({ app }) => app.alias)
    expect(await following()).toHaveLength(2)
    const done = await press(link)
    expect([done.status, await done.text()]).toEqual([
      200,
      expect.stringContaining('You do not follow this app any more'),
    ])
    expect(await following()).toEqual(['blog'])
    expect((await press(link)).status).toBe(200)
    await happens(failed(shop))
    expect(await ended(2)).toMatchObject([{ status: 'not_sent', reason: 'no_subscription' }, {}])
    await follow('shop', 'mail')
    expect((await press(link)).status).toBe(200)
    expect(await following()).toEqual(['blog'])
  })

  it('the link leaves a follow alone that is a direct message now', async () => {
    await follow('shop', 'mail')
    await happens(failed(shop))
    await ended(1)
    await follow('shop', 'chat')
    expect((await press(linkIn((await mails())[0]!.text))).status).toBe(200)
    expect((await api().call(listFollows, {})).items).toMatchObject([{ app: { alias: 'shop' }, via: 'chat' }])
  })

  it('a person who may not see the app any more gets no mail', async () => {
    const builder = await system.member('member', person.org_id)
    const api2 = system.client(builder.token)
    await api().call(setAppPerson, { alias: 'shop', user_id: builder.user_id, part: 'builder' })
    await api2.call(setFollow, { app: 'shop', categories: ['failed_deploys'], via: 'mail' })
    await api().call(removeAppPerson, { alias: 'shop', user_id: builder.user_id })
    await happens(failed(shop))
    expect(await ended(1)).toMatchObject([
      { status: 'not_sent', reason: 'no_part_in_app', destination: { kind: 'email' } },
    ])
    expect(server.received).toEqual([])
  })

  it('another way than the two is refused', async () => {
    await expect(
      api().call(setFollow, { app: 'shop', categories: ['tickets'], via: 'fax' as never }),
    ).rejects.toMatchObject({
      status: 400,
    })
  })
})
