import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EVENTS } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People, Person } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import {
  EXAMPLE_APP,
  exampleEvent,
  SUBSCRIBABLE_TYPES,
  type SubscribableType,
} from '#test/deliveries/example-events.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../../create-deliveries.ts'
import { addSubscription } from '../../subscriptions/store.ts'
import { saveLink } from './link-store.ts'
import { saveChannel, saveInstallation } from './store.ts'

/** The line for the channel for each type, and the one for a person who follows the app: null where nobody can. */
const LINES: Record<SubscribableType, [channel: string, person: string | null]> = {
  'support.ticket.created': ['New ticket in Shop: The door is stuck', 'Shop · Tickets · filed'],
  'support.ticket.replied': ['New reply to a ticket in Shop: The door is stuck', 'Shop · Tickets · replied'],
  'support.ticket.status_changed': ['Ticket in Shop is now done: The door is stuck', 'Shop · Tickets · done'],
  'deploy.failed': ['Deploy of Shop failed: BUILD_FAILED', 'Shop · Failed deploys · BUILD_FAILED'],
  'application.check.failed': ['Check failed in Shop: Checkout works', 'Shop · Checks · fail'],
  'application.check.error': ['Check could not run in Shop: Checkout works', 'Shop · Checks · error'],
  'application.check.indeterminate': [
    'Check was inconclusive in Shop (evidence limit): Checkout works',
    'Shop · Checks · evidence_limit',
  ],
  'application.check.recovered': ['Check passes again in Shop: Checkout works', 'Shop · Checks · pass'],
  'application.maintenance.run.completed': [
    'Maintenance run of Shop finished: proposed',
    'Shop · Maintenance · proposed',
  ],
  'application.maintenance.run.failed': [
    'Maintenance run of Shop could not finish',
    'Shop · Maintenance · agent_error',
  ],
  'application.maintenance.proposal.created': [
    'Change proposed for Shop: waiting for a decision',
    'Shop · Maintenance · proposal',
  ],
  'application.maintenance.proposal.approved': [
    'Proposed change for Shop was approved',
    'Shop · Maintenance · approved',
  ],
  'application.maintenance.proposal.denied': ['Proposed change for Shop was denied', 'Shop · Maintenance · denied'],
  'application.maintenance.proposal.watched': [
    'Fault is back after the deploy of a proposed change for Shop',
    'Shop · Maintenance · back',
  ],
  'pipeline.run.failed': ['Pipeline failed in Shop: Nightly import', null],
  'pipeline.run.recovered': ['Pipeline recovered in Shop: Nightly import', null],
  'pipeline.run.host_offline': ['No worker was connected for a pipeline in Shop: Nightly import', null],
  'pipeline.run.missed': ['Scheduled pipeline run did not happen in Shop: Nightly import', null],
  'org.support_access.started': ['Vendor staff entered the organization in a read-only support session', null],
  'org.support_access.elevated': ['A support session of vendor staff was raised to read and write', null],
}

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const admin: Person = { user_id: newId('usr'), email: 'ann@example.com', display_name: 'Ann', role: 'admin' }
const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: admin }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}
let opened: TestDatabase
let slack: FakeSlack
beforeAll(async () => {
  opened = await openTestDatabase()
  slack = await startFakeSlack()
})
afterAll(async () => {
  await slack?.[Symbol.asyncDispose]()
  await opened?.[Symbol.asyncDispose]()
})

async function startWorker(): Promise<AsyncDisposable> {
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  const { db } = opened
  const { loops, slots } = createDeliveries({
    db,
    sealer,
    people,
    safeFetch: slack.safeFetch,
    clock: systemClock,
    baseUrl: () => 'https://svc.example.com',
    onError: (error) => fail('', error),
  })
  const stack = new AsyncDisposableStack()
  stack.use(await runSlots(slots, { db, uptime: () => performance.now(), onError: fail }))
  stack.use(await runLoops(loops, { db, clock: systemClock, onError: fail }))
  return stack
}

/** An organization for each type, because a channel gets one message a second. */
async function connected(type: SubscribableType, at: number) {
  const [orgId, workspaceId, user] = [newId('org'), `T${at}`, `U${at}`]
  const [url, { botToken }] = [slack.addWebhook(workspaceId), slack.addInstallation(workspaceId)]
  slack.addUser(workspaceId, user)
  await opened.db.tx(async (tx) => {
    const { id: channel_id } = await saveChannel(tx, sealer, orgId, { url, label: '#x', workspaceId, identity: url })
    await addSubscription(tx, sealer, {
      org_id: orgId,
      owner: 'organization',
      channel_id,
      pattern: type,
      timing: 'immediately',
    })
    await saveInstallation(tx, sealer, orgId, { workspaceId, workspaceName: 'Acme', botToken })
    await saveLink(tx, { orgId, userId: admin.user_id, workspaceId, chatUserId: user, displayName: 'Ann' })
    const { category } = EVENTS[type]
    if (category === null) return
    await tx.query(sql`
      insert into notifications.follows (org_id, user_id, app_id, categories, timing, updated_at)
      values (${orgId}, ${admin.user_id}, ${EXAMPLE_APP.id}, ${[category]}, 'immediately', now())`)
  })
  return { type, orgId, channel: new URL(url).pathname, person: `D${user}` }
}

it('NO-02 NO-10 every type of event reaches the channel and the people who follow its category', async () => {
  const organizations = []
  for (const [at, type] of SUBSCRIBABLE_TYPES.entries()) organizations.push(await connected(type, at))
  await using _worker = await startWorker()
  for (const { type, orgId } of organizations) await opened.db.tx((tx) => emit(tx, exampleEvent(type, orgId)))
  const followable = Object.values(LINES).filter(([, person]) => person !== null)
  await until(() => slack.messages.length === SUBSCRIBABLE_TYPES.length + followable.length)
  const LINK = / <https:\/\/svc\.example\.com\/[^ |<>]+\|Open>$/
  const lineTo = (place: string) => {
    const message = slack.messages.find(({ to }) => to === place)?.message
    if (message === undefined) return null
    expect(message.text).toMatch(LINK)
    return String(message.text).replace(LINK, '')
  }
  const lines = organizations.map(({ type, channel, person }) => [type, [lineTo(channel), lineTo(person)]])
  expect(Object.fromEntries(lines)).toEqual(LINES)
})
