import { createHash, createHmac } from 'node:crypto'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChannelKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { createSendMail } from '#lib/net/mail/mail.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { exampleEvent, SUBSCRIBABLE_TYPES, type SubscribableType } from '#test/deliveries/example-events.ts'
import { type FakeDiscourse, startFakeDiscourse } from '#test/outside/fake-discourse.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../create-deliveries.ts'
import { addSubscription } from '../subscriptions/store.ts'
import { insertChannel } from './store.ts'

/** The subject of each type, and the page of its link: ids are replaced by `…`. */
const SHOWN: Record<SubscribableType, [subject: string, page: string]> = {
  'support.ticket.created': ['New ticket in Shop: The door is stuck', '/apps/shop/tickets/tkt_…'],
  'support.ticket.replied': ['New reply to a ticket in Shop: The door is stuck', '/apps/shop/tickets/tkt_…'],
  'support.ticket.status_changed': ['Ticket in Shop is now done: The door is stuck', '/apps/shop/tickets/tkt_…'],
  'deploy.failed': ['Deploy of Shop failed: BUILD_FAILED', '/apps/shop/deploys/dep_…'],
  'application.check.failed': ['Check failed in Shop: Checkout works', '/apps/shop/checks/chk_…'],
  'application.check.error': ['Check could not run in Shop: Checkout works', '/apps/shop/checks/chk_…'],
  'application.check.indeterminate': [
    'Check was inconclusive in Shop (evidence limit): Checkout works',
    '/apps/shop/checks/chk_…',
  ],
  'application.check.recovered': ['Check passes again in Shop: Checkout works', '/apps/shop/checks/chk_…'],
  'application.maintenance.run.completed': [
    'Maintenance run of Shop finished: proposed',
    '/apps/shop/maintenance/exe_…',
  ],
  'application.maintenance.run.failed': ['Maintenance run of Shop could not finish', '/apps/shop/maintenance/exe_…'],
  'application.maintenance.proposal.created': [
    'Change proposed for Shop: waiting for a decision',
    '/apps/shop/changes/pr_…',
  ],
  'application.maintenance.proposal.approved': ['Proposed change for Shop was approved', '/apps/shop/changes/pr_…'],
  'application.maintenance.proposal.denied': ['Proposed change for Shop was denied', '/apps/shop/changes/pr_…'],
  'application.maintenance.proposal.watched': [
    'Fault is back after the deploy of a proposed change for Shop',
    '/apps/shop/changes/pr_…',
  ],
  'pipeline.run.failed': ['Pipeline failed in Shop: Nightly import', '/apps/shop/pipelines/pl_…'],
  'pipeline.run.recovered': ['Pipeline recovered in Shop: Nightly import', '/apps/shop/pipelines/pl_…'],
  'pipeline.run.host_offline': [
    'No worker was connected for a pipeline in Shop: Nightly import',
    '/apps/shop/pipelines/pl_…',
  ],
  'pipeline.run.missed': ['Scheduled pipeline run did not happen in Shop: Nightly import', '/apps/shop/pipelines/pl_…'],
  'org.support_access.started': [
    'Vendor staff entered the organization in a read-only support session',
    '/settings/organization/audit',
  ],
  'org.support_access.elevated': [
    'A support session of vendor staff was raised to read and write',
    '/settings/organization/audit',
  ],
}

const HOSTS = { 'hooks.example.com': '93.184.215.14', 'forum.example.com': '93.184.215.15' }
const [HOOK_URL, FORUM_URL] = ['https://hooks.example.com/in', 'https://forum.example.com']
const [API_KEY, CATEGORY] = ['9f2c77d0a1e4b6830c5d92e1f7a48b36', 5]
const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}
/** An organization for each type, so that every message has a destination of its own. */
const cases = SUBSCRIBABLE_TYPES.map((type) => ({ type, orgId: newId('org') }))
const actorOf = (type: SubscribableType) => exampleEvent(type, '').body.actor_id

let opened: TestDatabase
let sink: Peer
let mails: TestMailServer
let forum: FakeDiscourse
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
beforeAll(async () => {
  opened = stack.use(await openTestDatabase())
  sink = stack.use(await startPeer())
  mails = stack.use(await startMailServer())
  forum = stack.use(await startFakeDiscourse())
  forum.keys.set(API_KEY, 'all')
  forum.categories.add(CATEGORY)
  for (const { type } of cases) forum.accounts.add(actorOf(type) ?? 'nobody')
  for (const { type, orgId } of cases) await subscribe(type, orgId)
  await startWorker()
  for (const { type, orgId } of cases) await opened.db.tx((tx) => emit(tx, exampleEvent(type, orgId)))
  await until(async () => {
    const ended = await opened.db.query(sql`
      select from notifications.deliveries where state not in ('pending', 'sending')`)
    return ended.length === 3 * cases.length
  })
})

async function subscribe(type: SubscribableType, org_id: string): Promise<void> {
  const channels = [
    { kind: 'webhook', secret: `${HOOK_URL}/${org_id}`, settings: { per_message: 1 } },
    { kind: 'email', settings: { address: `${org_id}@example.org` } },
    { kind: 'forum', secret: API_KEY, settings: { url: FORUM_URL, category: CATEGORY } },
  ] as const
  await opened.db.tx(async (tx) => {
    for (const channel of channels) {
      const { id: channel_id } = await insertChannel(tx, sealer, { org_id, label: channel.kind, ...channel })
      const added = { org_id, owner: 'organization', channel_id, pattern: type, timing: 'immediately' } as const
      await addSubscription(tx, sealer, added)
    }
  })
}

async function startWorker(): Promise<void> {
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  const { db } = opened
  const names = Object.fromEntries(Object.entries(HOSTS).map(([name, address]) => [name, [[address]]]))
  const peers = { [HOSTS['hooks.example.com']]: sink, [HOSTS['forum.example.com']]: forum }
  const { loops, slots } = createDeliveries({
    db,
    sealer,
    people,
    safeFetch: createSafeFetch({ resolve: fakeResolve(names), connect: fakeConnect(peers) }),
    clock: systemClock,
    mail: {
      from: { name: 'svc', address: 'svc@example.com' },
      dkim: undefined,
      sendMail: createSendMail(mails.address),
    },
    baseUrl: () => 'https://svc.example.com',
    onError: (error) => fail('', error),
  })
  stack.use(await runSlots(slots, { db, uptime: () => performance.now(), onError: fail }))
  stack.use(await runLoops(loops, { db, clock: systemClock, onError: fail }))
}

function outcomeOf(orgId: string, kind: ChannelKind) {
  return opened.db.query(sql`
    select delivery.state, reason, attempt from notifications.deliveries as delivery
    join notifications.channels as channel on channel.id = channel_id
    where delivery.org_id = ${orgId} and channel.kind = ${kind}`)
}
const SENT = [{ state: 'sent', reason: null, attempt: 1 }]
/** The page of a link in the console, without the ids in it. */
const pageOf = (link: string | undefined) =>
  link?.replace('https://svc.example.com', '').replace(/_[0-9a-zA-Z]{20,}/g, '_…')

describe.each(cases)('NO-02 an event of type $type', ({ type, orgId }) => {
  const [subject, page] = SHOWN[type]

  it('NO-08 reaches a webhook, signed', async () => {
    const received = sink.received.filter(({ path }) => path === `/in/${orgId}`)
    expect(received).toHaveLength(1)
    const { body, headers } = received[0]!
    const [notification, ...others] = JSON.parse(body)
    const { app } = exampleEvent(type, orgId).body as { app?: { alias: string } }
    expect({ ...notification, link: pageOf(notification.link) }).toEqual({
      id: expect.stringMatching(/^ntf_/),
      event_type: type,
      subject,
      occurred_at: '2026-05-01T10:00:00.000Z',
      org_id: orgId,
      ...(app && { app: 'shop' }),
      link: page,
    })
    expect(others).toEqual([])
    const key = createHash('sha256').update(`${HOOK_URL}/${orgId}`).digest()
    const signature = createHmac('sha256', key)
      .update(`${String(headers['x-svc-timestamp'])}.${body}`)
      .digest('hex')
    expect(headers['x-svc-signature']).toBe(`v1=${signature}`)
    expect(await outcomeOf(orgId, 'webhook')).toEqual(SENT)
  })

  it('NO-09 reaches a mail address, with a link to unsubscribe', async () => {
    const received = mails.received.filter(({ to }) => to[0] === `${orgId}@example.org`)
    expect(received).toHaveLength(1)
    const mail = await PostalMime.parse(received[0]!.message)
    expect(mail.subject).toBe(subject)
    const lines = mail.text?.split('\n') ?? []
    const link = lines.find((line) => line.startsWith('https://'))
    expect([lines[0], pageOf(link)]).toEqual([subject, page])
    expect(mail.html).toContain(`href="${link}"`)
    expect(mail.html).toContain(`>${subject}</h1>`)
    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')
    expect(header?.value).toMatch(/^<https:\/\/svc\.example\.com\/unsubscribe\/[\w-]+>$/)
    expect(await outcomeOf(orgId, 'email')).toEqual(SENT)
  })

  it('NO-11 is posted to a forum as the person who caused it, and not at all if nobody did', async () => {
    const posted = forum.topics.filter(({ raw }) => raw.includes(`\n${type}, `))
    const actor = actorOf(type)
    if (actor === null) {
      expect(posted).toEqual([])
      expect(await outcomeOf(orgId, 'forum')).toMatchObject([{ state: 'failed', reason: 'no_acting_user' }])
      return
    }
    expect(posted).toMatchObject([{ author: actor, category: CATEGORY }])
    const { title, raw } = posted[0]!
    expect(title).toMatch(/ \(2026-05-01 10:00 UTC\) \w{6}$/)
    expect(title.replace(/ \(2026.*/, '')).toBe(subject)
    expect(pageOf(/\[Open\]\((.+)\)/.exec(raw)?.[1])).toBe(page)
    expect(await outcomeOf(orgId, 'forum')).toEqual(SENT)
  })
})
