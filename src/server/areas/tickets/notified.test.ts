import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { connectChat } from '#contract/notifications/chat.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { fileTicket, moveTicket, replyToTicket } from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>
type Ticket = { id: string }

const HOOK_IP = '93.184.215.14'
const HOOK_URL = 'https://hooks.example.com/3f9c1e77a04d'

let system: System
let sink: Peer
let mails: TestMailServer
let slack: FakeSlack
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
beforeAll(async () => {
  sink = stack.use(await startPeer())
  mails = stack.use(await startMailServer())
  slack = stack.use(await startFakeSlack())
  const resolve = fakeResolve({ 'hooks.example.com': [[HOOK_IP]], 'hooks.slack.com': [[HOOK_IP]] })
  const toSink = createSafeFetch({ resolve, connect: fakeConnect({ [HOOK_IP]: sink }) })
  const { host, port } = mails.address
  system = stack.use(
    await startSystem({
      env: { SVC_SMTP_URL: `smtp://${host}:${port}`, SVC_MAIL_FROM: 'svc@example.com' },
      safeFetch: (url, request) => (url.startsWith(HOOK_URL) ? toSink : slack.safeFetch)(url, request),
      checkAddress: createAddressCheck({ resolve }),
    }),
  )
  // The system searches its tables and logs for these when it stops.
  stack.defer(() => void system.secrets.push(...slack.secrets))
})

let admin: Person
let reporter: Person
let developer: Person
beforeEach(async () => {
  sink.received.length = 0
  admin = await system.member('admin')
  reporter = await system.member('viewer', admin.org_id)
  developer = await system.member('developer', admin.org_id)
  await as(admin).call(createApp, { alias: 'shop', name: 'Shop' })
})

const as = ({ token }: Person) => system.client(token)
const file = (person = reporter) =>
  as(person).call(fileTicket, { alias: 'shop', title: 'The door is stuck', body: 'hush-text' })
const reply = (person: Person, { id }: Ticket, internal = false) =>
  as(person).call(replyToTicket, { alias: 'shop', ticket_id: id, body: 'hush-text', internal })
const move = ({ id }: Ticket, status: 'open' | 'in_progress' | 'done') =>
  as(developer).call(moveTicket, { alias: 'shop', ticket_id: id, status })
const mailsTo = ({ email }: Person) =>
  Promise.all(mails.received.filter(({ to }) => to.includes(email)).map(({ message }) => PostalMime.parse(message)))
const ledger = async () => (await as(admin).call(listDeliveries, { limit: 100 })).items
/** The ledger once it has entries for `count` events and all of them ended. */
const endedLedger = (count: number) =>
  until(async () => {
    const items = await ledger()
    const areEnded = items.every(({ status }) => status === 'delivered' || status === 'not_sent')
    return new Set(items.map(({ event }) => event.id)).size === count && areEnded && items
  })

describe('NO-02 the three events of a ticket, from the requests that cause them', () => {
  const EXPECTED = [
    ['support.ticket.created', 'New ticket in Shop: The door is stuck'],
    ['support.ticket.replied', 'New reply to a ticket in Shop: The door is stuck'],
    ['support.ticket.status_changed', 'Ticket in Shop is now in progress: The door is stuck'],
  ]

  it('reach an inbox, a webhook and a mailbox, each once and without the text', async () => {
    const builder = await system.member('viewer', admin.org_id)
    await as(admin).call(setAppPerson, { alias: 'shop', user_id: builder.user_id, part: 'builder' })
    await as(builder).call(setFollow, { app: 'shop', categories: ['tickets'] })
    const hook = await as(admin).call(createWebhook, { url: HOOK_URL, per_message: 1 })
    const address = await as(admin).call(addEmail, { address: admin.email })
    for (const channel_id of [hook.id, address.id])
      await as(admin).call(createSubscription, { event_type: 'support.ticket.*', channel_id })

    const ticket = await file()
    await reply(developer, ticket)
    await reply(developer, ticket, true)
    await move(ticket, 'in_progress')
    await move(ticket, 'in_progress')
    await endedLedger(3)

    const inbox = (await as(builder).call(listInbox, {})).items.toReversed()
    expect(inbox.map(({ event_type, subject }) => [event_type, subject])).toEqual(EXPECTED)
    for (const { link, app } of inbox)
      expect([app, link]).toEqual(['shop', expect.stringMatching(new RegExp(`/apps/shop/tickets/${ticket.id}$`))])
    const posted = sink.received.flatMap(({ body }) => JSON.parse(body))
    expect(posted.map(({ event_type, subject }) => [event_type, subject]).sort(byType)).toEqual(EXPECTED)
    const mailed = await mailsTo(admin)
    expect(mailed.map(({ subject }) => subject!).sort(byText)).toEqual(
      EXPECTED.map(([, subject]) => subject!).sort(byText),
    )
    const sent = [...sink.received.map(({ body }) => body), ...mails.received.map(({ message }) => String(message))]
    expect(sent.filter((text) => text.includes('hush'))).toEqual([])
    expect(JSON.stringify(inbox)).not.toContain('hush')
  })

  it('an internal reply leaves no event, no entry in the ledger and no message', async () => {
    const ticket = await file()
    await endedLedger(1)
    await reply(developer, ticket, true)
    const rows = await system.db.query(sql`
      select type from svc.outbox where org_id = ${admin.org_id}
      union all select type from notifications.events where org_id = ${admin.org_id}`)
    expect(rows).toEqual([{ type: 'support.ticket.created' }])
    // An event after it shows that the worker had its turn.
    await move(ticket, 'done')
    expect((await endedLedger(2)).map(({ event }) => event.type)).toEqual([
      'support.ticket.status_changed',
      'support.ticket.created',
    ])
    expect(await mailsTo(reporter)).toEqual([])
  })
})

describe('NO-06 the default mail to a reporter', () => {
  /** Who was sent something about each event: the ids of people. */
  const recipients = async (count: number) =>
    (await endedLedger(count)).flatMap(({ destination, state }) => (state === 'sent' ? [destination?.user_id] : []))

  it('is sent for a reply of somebody else, not for filing, moving, own replies or tickets of others', async () => {
    const ticket = await file()
    const others = await file(developer)
    await reply(admin, others)
    await reply(reporter, ticket)
    await move(ticket, 'done')
    await reply(developer, ticket)
    await endedLedger(6)
    const [mail, ...more] = await mailsTo(reporter)
    expect(more).toEqual([])
    expect(mail!.subject).toBe('New reply to a ticket in Shop: The door is stuck')
    expect(mail!.text).toContain(`/apps/shop/tickets/${ticket.id}`)
    expect((await mailsTo(developer)).map(({ text }) => text?.includes(others.id))).toEqual([true])
    const inbox = (await as(reporter).call(listInbox, {})).items
    expect(inbox.map(({ event_type }) => event_type)).toEqual(['support.ticket.replied'])
  })

  it('makes a real subscription with the first mail, which its link ends for good', async () => {
    const subscriptions = () =>
      system.db.query(sql`
        select owner, pattern, enabled, disabled_by from notifications.subscriptions
        where user_id = ${reporter.user_id}`)
    const ticket = await file()
    await reply(reporter, ticket)
    expect(await recipients(2)).toEqual([])
    expect(await subscriptions()).toEqual([])
    await reply(developer, ticket)
    expect(await recipients(3)).toEqual([reporter.user_id])
    const subscription = { owner: 'reporter', pattern: 'support.ticket.replied' }
    expect(await subscriptions()).toEqual([{ ...subscription, enabled: true, disabled_by: null }])

    const [mail] = await mailsTo(reporter)
    const link = /<(.+)>/.exec(mail!.headers.find(({ key }) => key === 'list-unsubscribe')!.value)![1]!
    system.secrets.push(link.split('/').at(-1)!)
    const page = new URL(new URL(link).pathname, system.url)
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(page, { method: 'POST', body: form })).status).toBe(200)
    await reply(developer, ticket)
    await reply(developer, await file())
    expect(await recipients(6)).toEqual([reporter.user_id])
    expect(await subscriptions()).toEqual([{ ...subscription, enabled: false, disabled_by: 'unsubscribe' }])
    expect(await mailsTo(reporter)).toHaveLength(1)
  })
})

describe('NO-06 the default subscription of a chat channel', () => {
  it('connecting it subscribes it to new tickets, and it gets one line for each, nothing for replies and moves', async () => {
    const team = `T${admin.org_id.slice(-9).toUpperCase()}`
    await as(admin).call(connectChat, { webhook_url: slack.addWebhook(team) })
    const { items } = await as(admin).call(listSubscriptions, {})
    expect(items.map(({ event_type, timing, enabled }) => [event_type, timing, enabled])).toEqual([
      ['support.ticket.created', 'immediately', true],
    ])
    const ticket = await file()
    await reply(developer, ticket)
    await move(ticket, 'done')
    await endedLedger(3)
    const texts = slack.messages.filter((one) => one.team === team).map(({ message }) => String(message.text))
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('New ticket in Shop: The door is stuck')
    expect(texts[0]).toContain(`/apps/shop/tickets/${ticket.id}`)
    expect(texts[0]).not.toContain('hush')
  })
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

function byType([a]: string[], [b]: string[]): number {
  return byText(a!, b!)
}
