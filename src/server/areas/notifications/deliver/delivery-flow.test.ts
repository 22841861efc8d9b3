import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People, Person } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { until } from '#test/until.ts'
import { insertChannel } from '../channels/store.ts'
import { createDeliveries } from '../create-deliveries.ts'
import { addSubscription } from '../subscriptions/store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const URL_TYPED = 'https://hooks.example.com/in?key=Z3Vlc3MgbWU'
const org = newId('org')
const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
let opened: TestDatabase
let db: Db
let peer: Peer
let statuses: number[] = []
let members: Person[] = []

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
  peer = await startPeer((_, response) => {
    response.statusCode = statuses.shift() ?? 200
    response.end()
  })
})
afterAll(async () => {
  await peer[Symbol.asyncDispose]()
  await opened?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  statuses = []
  members = []
  peer.received.length = 0
  for (const table of [
    'attempts',
    'deliveries',
    'notifications',
    'destinations',
    'subscriptions',
    'channels',
    'events',
  ])
    await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: members.filter(({ role }) => role !== 'member') }),
  member: async (_, id) => ({ isKnown: true, value: members.find(({ user_id }) => user_id === id) }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

async function startWorker(): Promise<AsyncDisposable> {
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'hooks.example.com': [['93.184.215.14']] }),
    connect: fakeConnect({ '93.184.215.14': peer }),
  })
  const baseUrl = () => 'https://svc.example.com'
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  const { loops, slots } = createDeliveries({
    db,
    sealer,
    people,
    safeFetch,
    clock: systemClock,
    baseUrl,
    onError: (e) => fail('', e),
  })
  const stack = new AsyncDisposableStack()
  stack.use(await runSlots(slots, { db, uptime: () => performance.now(), onError: fail }))
  stack.use(await runLoops(loops, { db, clock: systemClock, onError: fail }))
  return stack
}

const failedDeploy = (): EventOf<'deploy.failed'> => ({
  type: 'deploy.failed',
  org_id: org,
  occurred_at: new Date('2026-05-01T10:00:00Z'),
  body: { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') },
})
const emitted = (event: EventOf) => db.tx((tx) => emit(tx, event))
const webhook = () =>
  db.tx(async (tx) => {
    const added = {
      org_id: org,
      kind: 'webhook',
      label: 'hooks',
      settings: { per_message: 50 },
      secret: URL_TYPED,
    } as const
    const { id } = await insertChannel(tx, sealer, added)
    await addSubscription(tx, sealer, {
      org_id: org,
      owner: 'organization',
      channel_id: id,
      pattern: 'deploy.*',
      timing: 'immediately',
    })
    return id
  })
const ledger = () =>
  db.query<{ kind: string; state: string | null; dropped_reason: string | null; reason: string | null }>(sql`
    select notification.kind, state, dropped_reason, reason from notifications.notifications as notification
    left join notifications.deliveries as delivery on delivery.id = delivery_id order by notification.id`)
const settled = (state: string) => until(async () => (await ledger()).some((row) => row.state === state))

describe('from an event to a webhook', () => {
  it('NO-08 a webhook gets an array of thin objects that its receiver can verify', async () => {
    await webhook()
    await using _worker = await startWorker()
    const event = failedDeploy()
    await emitted(event)
    await settled('sent')
    expect(peer.received).toHaveLength(1)
    const { method, path, headers, body } = peer.received[0]!
    expect([method, path]).toEqual(['POST', '/in?key=Z3Vlc3MgbWU'])
    expect(JSON.parse(body)).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        event_type: 'deploy.failed',
        subject: 'Deploy of Shop failed: BUILD_FAILED',
        occurred_at: '2026-05-01T10:00:00.000Z',
        org_id: org,
        app: 'shop',
        link: `https://svc.example.com/apps/shop/deploys/${event.body.deployment_id}`,
      },
    ])
    const timestamp = headers['x-svc-timestamp']
    const key = createHash('sha256').update(URL_TYPED).digest()
    expect(headers['x-svc-signature']).toBe(
      `v1=${createHmac('sha256', key)
        .update(`${String(timestamp)}.${body}`)
        .digest('hex')}`,
    )
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(300)
  })

  it('NO-08 a receiver that answers 410 gets nothing any more', async () => {
    const channel = await webhook()
    statuses = [410]
    await using _worker = await startWorker()
    await emitted(failedDeploy())
    await settled('failed')
    expect(await ledger()).toEqual([{ kind: 'webhook', state: 'failed', dropped_reason: null, reason: 'http_410' }])
    const [row] = await db.query(sql`select state, disabled_reason from notifications.channels where id = ${channel}`)
    expect(row).toEqual({ state: 'disabled', disabled_reason: 'http_410' })
    await emitted(failedDeploy())
    await until(async () => (await ledger()).length === 2)
    expect((await ledger())[1]).toEqual({ kind: 'none', state: null, dropped_reason: 'no_subscription', reason: null })
    expect(peer.received).toHaveLength(1)
  })

  it('NO-12 an event that nobody subscribed to is in the ledger', async () => {
    await using _worker = await startWorker()
    await emitted(failedDeploy())
    await until(async () => (await ledger()).length === 1)
    expect(await ledger()).toEqual([{ kind: 'none', state: null, dropped_reason: 'no_subscription', reason: null }])
  })

  it('NO-12 a resend that is dropped leaves the delivered message as it is in the ledger', async () => {
    await webhook()
    await using _worker = await startWorker()
    await emitted(failedDeploy())
    await settled('sent')
    await db.query(sql`update notifications.subscriptions set enabled = false, disabled_by = 'admin'`)
    await db.query(sql`
      insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, resend_of, state, next_at,
        created_at)
      select ${newId('dlv')}, org_id, destination_key, kind, channel_id, id, 'pending', clock_timestamp(), clock_timestamp()
      from notifications.deliveries`)
    await db.query(sql`update notifications.destinations set first_at = clock_timestamp()`)
    await db.query(sql`select pg_notify('svc_notifications', '')`)
    const resent = sql`select state from notifications.deliveries where resend_of is not null`
    await until(async () => (await db.query<{ state: string }>(resent))[0]?.state === 'dropped')
    expect(await ledger()).toEqual([{ kind: 'webhook', state: 'sent', dropped_reason: null, reason: null }])
    expect(peer.received).toHaveLength(1)
  })

  it('NO-06 a subscription that is disabled after the event is respected by the next attempt', async () => {
    await webhook()
    statuses = [503]
    await using _worker = await startWorker()
    await emitted(failedDeploy())
    await until(async () => (await ledger()).some((row) => row.reason === 'http_503'))
    await db.query(sql`update notifications.subscriptions set enabled = false, disabled_by = 'admin'`)
    await db.query(sql`update notifications.deliveries set next_at = clock_timestamp()`)
    await db.query(sql`update notifications.destinations set retry_at = clock_timestamp()`)
    await db.query(sql`select pg_notify('svc_notifications', '')`)
    await settled('dropped')
    expect(await ledger()).toMatchObject([{ state: 'dropped', reason: 'unsubscribed' }])
    expect(peer.received).toHaveLength(1)
  })
})
