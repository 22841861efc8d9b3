import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { People, Person } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { insertChannel } from '../channels/store.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { finishDeliveries } from '../deliver/finish.ts'
import { mailKey } from '../model/destination-key.ts'
import { openContent } from '../model/mail-content.ts'
import type { Outcome } from '../model/outcome.ts'
import { addNotifications } from '../store/enqueue.ts'
import { createSystemMails } from '../system-mail/store.ts'
import { healthLoop } from './loop.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const broken = newId('org')
const never = new AbortController().signal
const DAY_MS = 24 * 60 * 60_000
const REFUSED: Outcome = { type: 'failed', reason: 'http_404' }
let opened: TestDatabase
let db: Db
let admins: Person[] | 'unknown'
let faults: string[]

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  faults = []
  admins = [person('mara@example.org', 'owner'), person('olu@example.org', 'admin')]
  for (const table of ['attempts', 'deliveries', 'notifications', 'destinations', 'channels'])
    await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const person = (email: string, role: Person['role']): Person => ({
  user_id: newId('usr'),
  email,
  display_name: email,
  role,
})
const people: People = {
  ownersAndAdmins: async (orgId) => {
    if (orgId === broken) throw new Error('no people')
    return admins === 'unknown'
      ? { isKnown: false, reason: 'people_unknown', isTemporary: true }
      : { isKnown: true, value: admins }
  },
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}
const tick = (now = new Date()) => {
  const baseUrl = () => 'https://svc.example.com'
  const onError = (error: unknown) => faults.push((error as Error).message)
  return healthLoop({ db, people, mails: createSystemMails({ sealer }), baseUrl, onError }).tick(now, never)
}
const webhook = async (org_id = org) => {
  const added = { org_id, kind: 'webhook', label: 'https://hooks.example.com …4321', settings: {} } as const
  return (await db.tx((tx) => insertChannel(tx, sealer, { ...added, secret: 'https://hooks.example.com/4321' }))).id
}

/** Sends one message through a channel, with this outcome. */
async function attempt(channel_id: string, outcome: Outcome, address?: string) {
  const kind: ChannelKind = address === undefined ? 'webhook' : 'email'
  const destination_key = address === undefined ? `webhook:${channel_id}` : mailKey({ org_id: org }, address)
  const ofNobody = { user_id: null, subscription_id: null, app_id: null, digest: null, dropped_reason: null }
  const added = { event_id: newId('evt'), org_id: org, destination_key, kind, channel_id, per_message: 1, ...ofNobody }
  await db.tx((tx) => addNotifications(tx, [added]))
  // Only this channel is due, so that the mails about it are not claimed.
  await db.query(sql`
    update notifications.destinations
    set paused_until = null, first_at = case when key = ${destination_key} then clock_timestamp() end`)
  const { deliveries } = await claimDeliveries(db, 'first', 1, 60)
  expect(deliveries).toHaveLength(1)
  await finishDeliveries(db, [{ delivery: deliveries[0]!, outcome }], () => 0.5)
}
async function attempts(count: number, channelId: string, outcome: Outcome) {
  for (let n = 0; n < count; n++) await attempt(channelId, outcome)
}
async function mails() {
  const rows = await db.query<{ id: string; message: string }>(sql`
    select id, message from notifications.deliveries where message is not null order by id`)
  return rows.map(({ id, message }) => openContent(sealer, id, message))
}

describe('NO-12 mail about a channel that keeps failing', () => {
  it('goes out though that about the channel of another organization fails', async () => {
    for (const channel of [await webhook(broken), await webhook()]) await attempts(10, channel, REFUSED)
    await tick()
    expect((await mails()).map(({ to }) => to)).toEqual(['mara@example.org', 'olu@example.org'])
    expect(faults).toEqual([expect.stringMatching(/^mailing about channel chn_\w+ failed and is tried again$/)])
  })

  it('goes to owners and admins after ten lost messages in a row, once', async () => {
    const channel = await webhook()
    await attempts(9, channel, REFUSED)
    await tick()
    expect(await mails()).toEqual([])
    await attempts(1, channel, REFUSED)
    await tick()
    await attempts(1, channel, REFUSED)
    await tick()
    const sent = await mails()
    expect(sent.map(({ to }) => to)).toEqual(['mara@example.org', 'olu@example.org'])
    const [{ failing_since }] = (await db.query<{ failing_since: Date }>(sql`
      select failing_since from notifications.channels`)) as [{ failing_since: Date }]
    const since = failing_since.toISOString().slice(0, 16).replace('T', ' ')
    expect(sent[0]).toMatchObject({
      subject: 'Notifications to https://hooks.example.com …4321 do not arrive',
      paragraphs: [
        `Notifications to the webhook https://hooks.example.com …4321 of Acme have not arrived since ${since} UTC. Messages lost in a row: 10.`,
        'We go on trying. Look at the delivery ledger for the reasons, and correct or remove the channel.',
        'You get this mail once for each outage.',
      ],
      action: { label: 'See integrations', link: 'https://svc.example.com/settings/organization/integrations' },
    })
  })

  it('is sent after a day of failures, but not about a single lost message', async () => {
    const [failing, quiet] = [await webhook(), await webhook()]
    await attempts(2, failing, { type: 'unknown', reason: 'lost' })
    await attempts(1, quiet, { type: 'unknown', reason: 'lost' })
    await tick(new Date(Date.now() + DAY_MS - 60_000))
    expect(await mails()).toEqual([])
    await tick(new Date(Date.now() + DAY_MS))
    expect(await mails()).toHaveLength(2)
  })

  it('is sent again only after messages arrived in between', async () => {
    const channel = await webhook()
    await attempts(10, channel, REFUSED)
    await tick()
    await attempt(channel, { type: 'sent' })
    await attempts(9, channel, REFUSED)
    await tick()
    expect(await mails()).toHaveLength(2)
    await attempts(1, channel, REFUSED)
    await tick()
    expect(await mails()).toHaveLength(4)
  })

  it('does not count faults of ours and messages that were not attempted', async () => {
    const channel = await webhook()
    await attempts(12, channel, { type: 'dropped', reason: 'unsubscribed' })
    await tick(new Date(Date.now() + 2 * DAY_MS))
    expect(await mails()).toEqual([])
  })

  it('says at once that a channel which is gone was disabled', async () => {
    const channel = await webhook()
    await attempt(channel, { type: 'gone', reason: 'http_410' })
    await tick()
    const sent = await mails()
    expect(sent).toHaveLength(2)
    expect(sent[0]!.paragraphs[1]).toBe(
      'The other side answered that it does not exist any more (http_410), so nothing is sent to it. Connect it again, or remove it.',
    )
  })

  it('never goes to the address that fails', async () => {
    const address = 'Mara@example.org'
    const added = { org_id: org, kind: 'email', label: address, settings: { address } } as const
    const { id } = await db.tx((tx) => insertChannel(tx, sealer, added))
    for (let n = 0; n < 10; n++) await attempt(id, { type: 'failed', reason: 'smtp_550' }, address)
    await tick()
    expect((await mails()).map(({ to }) => to)).toEqual(['olu@example.org'])
  })

  it('waits while nobody can say who the admins are', async () => {
    const channel = await webhook()
    await attempts(10, channel, REFUSED)
    const knownAdmins = admins
    admins = 'unknown'
    await tick()
    expect(await mails()).toEqual([])
    admins = knownAdmins
    await tick()
    expect(await mails()).toHaveLength(2)
  })
})
