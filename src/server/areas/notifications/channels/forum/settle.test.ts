import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type FakeDiscourse, startFakeDiscourse } from '#test/outside/fake-discourse.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../../create-deliveries.ts'
import { claimDeliveries } from '../../deliver/claim.ts'
import { finishDeliveries } from '../../deliver/finish.ts'
import { addSubscription } from '../../subscriptions/store.ts'
import { insertChannel } from '../store.ts'

const KEY = 'key-of-all-users'
const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const [olu, mara] = [newId('usr'), newId('usr')]
const nobody: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}
let opened: TestDatabase
let db: Db
let forum: FakeDiscourse

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
  forum = await startFakeDiscourse()
})
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]()
  await forum?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  const tables = ['attempts', 'deliveries', 'notifications', 'destinations', 'subscriptions', 'channels', 'events']
  for (const table of tables) await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
  Object.assign(forum, { topics: [], incidents: [], requests: [], readStatus: undefined })
  forum.keys.set(KEY, 'all')
  forum.categories.add(1)
  for (const user of [olu, mara]) forum.accounts.add(user)
})

const work = () =>
  createDeliveries({
    db,
    sealer,
    people: nobody,
    safeFetch: createSafeFetch(),
    forumFetch: createSafeFetch({ allowCidrs: ['127.0.0.0/8'] }),
    clock: systemClock,
    baseUrl: () => 'https://svc.example.com',
    onError: (error) => expect.fail(String(error)),
  })
/** Runs loops once, in their order. */
const tick = async (names: readonly string[], now = new Date()) => {
  for (const name of names) {
    const loop = work().loops.find((one) => one.name === `notifications-${name}`)
    await loop!.tick(now, new AbortController().signal)
  }
}
const startSlots = () => {
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  return runSlots(work().slots, { db, uptime: () => performance.now(), onError: fail })
}
const subscribe = (timing: 'immediately' | 'hourly') =>
  db.tx(async (tx) => {
    const settings = { url: forum.url, category: 1 }
    const channel = { org_id: org, kind: 'forum', label: 'forum', settings, secret: KEY } as const
    const { id: channel_id } = await insertChannel(tx, sealer, channel)
    await addSubscription(tx, sealer, { org_id: org, owner: 'organization', channel_id, pattern: 'deploy.*', timing })
  })
const failDeploy = (actor_id: string | null) => {
  const event: EventOf<'deploy.failed'> = {
    type: 'deploy.failed',
    org_id: org,
    occurred_at: new Date(),
    body: {
      status: 'BUILD_FAILED',
      actor_id,
      app: { id: newId('app'), alias: 'shop', name: 'Shop' },
      deployment_id: newId('dep'),
    },
  }
  return db.tx((tx) => emit(tx, event))
}
const deliveries = () =>
  db.query<{ state: string; reason: string | null; attempt: number }>(sql`
    select state, reason, attempt from notifications.deliveries order by id`)
const settled = (state: string) => until(async () => (await deliveries()).find((one) => one.state === state))
const retryNow = async () => {
  await db.query(sql`update notifications.deliveries set next_at = clock_timestamp() where state = 'pending'`)
  await db.query(sql`
    update notifications.destinations set retry_at = clock_timestamp(), paused_until = null where retry_at is not null`)
  await db.query(sql`select pg_notify('svc_notifications', '')`)
}
/** Claims the delivery as a worker that dies then. */
const lose = async () => {
  const { deliveries: claimed } = await claimDeliveries(db, 'first', 1, 0)
  await tick(['reap'])
  expect(await deliveries()).toEqual([{ state: 'unknown', reason: 'worker_lost', attempt: 1 }])
  return claimed[0]!
}

describe('NO-11 a forum topic whose outcome is unknown', () => {
  it('is delivered if the forum has it, also when it could not be asked at first', async () => {
    await subscribe('immediately')
    await failDeploy(olu)
    await tick(['intake', 'match'])
    forum.incidents = ['lost_after']
    forum.readStatus = 502
    {
      await using _slots = await startSlots()
      expect(await settled('unknown')).toEqual({ state: 'unknown', reason: 'io', attempt: 1 })
    }
    await tick(['forum'])
    expect(await deliveries()).toEqual([{ state: 'unknown', reason: 'io', attempt: 1 }])
    forum.readStatus = undefined
    await tick(['forum'])
    expect(await deliveries()).toEqual([{ state: 'sent', reason: null, attempt: 1 }])
    expect(forum.topics).toHaveLength(1)
  })

  it('is posted if the forum does not have it, for example because the worker died before', async () => {
    await subscribe('immediately')
    await failDeploy(olu)
    await tick(['intake', 'match'])
    await lose()
    await tick(['forum'])
    expect(await deliveries()).toEqual([{ state: 'pending', reason: 'not_posted', attempt: 1 }])
    await retryNow()
    await using _slots = await startSlots()
    expect(await settled('sent')).toEqual({ state: 'sent', reason: null, attempt: 2 })
    expect(forum.topics).toHaveLength(1)
  })

  it('is posted once although a worker that was believed dead posts it meanwhile', async () => {
    await subscribe('immediately')
    await failDeploy(olu)
    await tick(['intake', 'match'])
    const claimed = await lose()
    await tick(['forum'])
    const [event] = await db.query<{ id: string }>(sql`select id from notifications.events`)
    forum.topics.push({ id: 1, title: 'by the slow worker', raw: '', category: 1, external_id: event!.id, author: olu })
    await finishDeliveries(db, [{ delivery: claimed, outcome: { type: 'sent' } }], Math.random)
    expect(await deliveries()).toEqual([{ state: 'pending', reason: 'not_posted', attempt: 1 }])
    await retryNow()
    await using _slots = await startSlots()
    expect(await settled('sent')).toEqual({ state: 'sent', reason: null, attempt: 2 })
    expect(forum.topics).toHaveLength(1)
  })

  it('stays unknown after a day, or when its forum is gone', async () => {
    await subscribe('immediately')
    await failDeploy(olu)
    await tick(['intake', 'match'])
    await lose()
    await db.query(sql`update notifications.deliveries set ended_at = ended_at - interval '25 hours'`)
    await tick(['forum'])
    await db.query(sql`update notifications.deliveries set ended_at = clock_timestamp()`)
    await db.query(sql`update notifications.channels set state = 'disabled'`)
    await tick(['forum'])
    expect(await deliveries()).toEqual([{ state: 'unknown', reason: 'worker_lost', attempt: 1 }])
    expect(forum.requests).toEqual([])
  })
})

describe('NO-14 a digest of a forum', () => {
  it('is one topic for each acting user and window, and a failure for what nobody caused', async () => {
    await subscribe('hourly')
    for (const actor of [olu, olu, mara, null]) await failDeploy(actor)
    await tick(['intake', 'match'])
    await tick(['digests'], new Date(Date.now() + 3_600_000))
    await using _slots = await startSlots()
    await until(async () => (await deliveries()).every(({ state }) => ['sent', 'failed'].includes(state)))
    const reasons = (await deliveries()).map(({ reason }) => reason)
    expect(reasons).toHaveLength(3)
    expect(reasons.filter((reason) => reason !== null)).toEqual(['no_acting_user'])
    const byAuthor = forum.topics.map(({ author, title }) => [author, title.split(' from ')[0]])
    expect(Object.fromEntries(byAuthor)).toEqual({ [olu]: '2 notifications', [mara]: '1 notification' })
  })
})
