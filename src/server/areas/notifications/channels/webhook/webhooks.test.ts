import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { listDeliveries, readDelivery } from '#contract/notifications/deliveries.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { changeSubscription, createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { changeWebhook, createWebhook, deleteWebhook } from '#contract/notifications/webhooks.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { emit } from '#ports/emit.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { signatureHeaders } from './sign.ts'

const PUBLIC_IP = '93.184.215.14'
const SECRET = 'Vf7Qk2Zp9xLw4TnB'
const [FIRST_URL, SECOND_URL] = [`https://hooks.example.com/in/${SECRET}`, `https://hooks.example.com/next/${SECRET}8d`]

describe('NO-08 webhooks of an organization', () => {
  let system: System
  let peer: Peer
  let statuses: number[] = []
  /** Answers wait for it. */
  let answering = Promise.resolve()
  let admin: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    peer = await startPeer((_, response) => {
      response.statusCode = statuses.shift() ?? 200
      void answering.then(() => response.end())
    })
    const resolve = fakeResolve({ 'hooks.example.com': [[PUBLIC_IP]], 'inside.example.com': [['10.0.0.5']] })
    system = await startSystem({
      safeFetch: createSafeFetch({ resolve, connect: fakeConnect({ [PUBLIC_IP]: peer }) }),
      checkAddress: createAddressCheck({ resolve }),
    })
    // The system searches its tables and logs for these when it stops.
    system.secrets.push(SECRET)
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    statuses = []
    peer.received.length = 0
    admin = await system.member('admin')
  })

  const api = () => system.client(admin.token)
  const create = (url: string) => api().call(createWebhook, { url })
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }
  const failDeploy = () =>
    system.db.tx((tx) =>
      emit(tx, {
        type: 'deploy.failed',
        org_id: admin.org_id,
        occurred_at: new Date(),
        body: {
          status: 'BUILD_FAILED',
          actor_id: null,
          app: { id: newId('app'), alias: 'shop', name: 'Shop' },
          deployment_id: newId('dep'),
        },
      }),
    )
  const subscribe = (channel_id: string) => api().call(createSubscription, { event_type: 'deploy.*', channel_id })

  it('show the origin and the last four characters, never the URL', async () => {
    const webhook = await create(FIRST_URL)
    expect(webhook).toEqual({
      id: expect.stringMatching(/^chn_/),
      kind: 'webhook',
      label: 'https://hooks.example.com …4TnB',
      state: 'active',
      disabled_reason: null,
      failing_since: null,
      created_at: expect.any(String),
      standard_webhooks: null,
      warnings: [],
    })
    const { warnings: _, ...channel } = webhook
    expect((await api().call(listChannels, {})).items).toEqual([channel])
  })

  it('can have a name, which stays when other things change', async () => {
    const { id, label } = await api().call(createWebhook, { url: FIRST_URL, name: 'Pager' })
    expect(label).toBe('Pager (https://hooks.example.com …4TnB)')
    expect((await api().call(changeWebhook, { id, url: SECOND_URL })).label).toBe(
      'Pager (https://hooks.example.com …nB8d)',
    )
    expect((await api().call(changeWebhook, { id, name: null })).label).toBe('https://hooks.example.com …nB8d')
  })

  it.each([
    ['https://hooks.example.com/', 'The URL can be guessed, and whoever knows it can forge signatures.'],
    ['https://hooks.example.com/webhooks/notifications/incoming/12345678901234', 'The URL can be guessed'],
    [`http://hooks.example.com/${SECRET}`, 'The URL begins with http'],
  ])('with the risky URL %s are saved with a warning', async (url, warning) => {
    const { warnings } = await create(url)
    expect(warnings).toEqual([expect.stringContaining(warning)])
  })

  it.each([
    ['https://inside.example.com/x', 'The URL leads to a private or reserved address.'],
    ['https://127.0.0.1/x', 'The URL leads to a private or reserved address.'],
    ['https://nowhere.example.com/x', 'The host name of the URL could not be resolved. Check the URL and try again.'],
    ['hooks.example.com/x', 'The URL cannot be used for a webhook: not a URL.'],
    ['ftp://hooks.example.com/x', 'only http and https addresses are allowed'],
    [`${FIRST_URL}\n`, 'The URL contains a blank or an invisible character. Remove it.'],
    [`https://hooks.example.com/\u200b${SECRET}`, 'The URL contains a blank or an invisible character.'],
  ])('are refused with the URL %j', async (url, words) => {
    const refusal = await refusalOf(create(url))
    expect(refusal).toMatchObject({ status: 400, code: 'INVALID_REQUEST', message: expect.stringContaining(words) })
    expect(refusal.message).not.toContain(SECRET)
    const { id } = await create(SECOND_URL)
    expect(await refusalOf(api().call(changeWebhook, { id, url }))).toEqual(refusal)
    expect((await api().call(listChannels, {})).items).toHaveLength(1)
  })

  it.each([0, 51, 1.5])('cannot put %d notifications into a message', async (per_message) => {
    expect(await refusalOf(api().call(createWebhook, { url: FIRST_URL, per_message }))).toMatchObject({ status: 400 })
  })

  it('with the same endpoint are refused, however it is spelled', async () => {
    const { id } = await create(FIRST_URL)
    const other = await create(SECOND_URL)
    for (const url of [FIRST_URL, FIRST_URL.replace('hooks.example', 'HOOKS.Example'), `${FIRST_URL}#twice`]) {
      const message = `This URL is the webhook ${id} (https://hooks.example.com …4TnB) already. Change that one, or use another URL.`
      const refusal = { status: 409, code: 'CHANNEL_EXISTS', message }
      expect(await refusalOf(create(url))).toEqual(refusal)
      expect(await refusalOf(api().call(changeWebhook, { id: other.id, url }))).toEqual(refusal)
    }
    const elsewhere = system.client((await system.member('admin')).token)
    expect(await elsewhere.call(createWebhook, { url: FIRST_URL })).toMatchObject({ state: 'active' })
  })

  it('that are added at the same moment with the same URL are one', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => create(FIRST_URL)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await api().call(listChannels, {})).items).toHaveLength(1)
  })

  it('are at most 20', async () => {
    await system.db.query(sql`
      insert into notifications.channels (id, org_id, kind, label, state, created_at)
      select 'chn_' || ${admin.user_id}::text || n, ${admin.org_id}::text, 'webhook', 'x', 'active', now()
      from generate_series(1, 20) n`)
    expect(await refusalOf(create(FIRST_URL))).toEqual({
      status: 409,
      code: 'CHANNEL_LIMIT',
      message: 'An organization can have 20 webhooks. Delete one you do not need.',
    })
  })

  it('of another organization are not found', async () => {
    const { id } = await create(FIRST_URL)
    const other = system.client((await system.member('admin')).token)
    const missing = { status: 404, code: 'NOT_FOUND', message: 'No such webhook.' }
    expect(await refusalOf(other.call(changeWebhook, { id, name: 'Mine' }))).toEqual(missing)
    expect(await refusalOf(other.call(deleteWebhook, { id }))).toEqual(missing)
  })

  it('are deleted with their subscriptions', async () => {
    const { id } = await create(FIRST_URL)
    await subscribe(id)
    expect(await api().call(deleteWebhook, { id })).toEqual({ deleted: true })
    expect((await api().call(listChannels, {})).items).toEqual([])
    expect((await api().call(listSubscriptions, {})).items).toEqual([])
    expect(await refusalOf(api().call(deleteWebhook, { id }))).toMatchObject({ status: 404 })
  })

  it('sign with the new URL as soon as it is saved', async () => {
    const { id } = await create(FIRST_URL)
    await subscribe(id)
    await api().call(changeWebhook, { id, url: SECOND_URL })
    await failDeploy()
    await until(() => peer.received.length === 1)
    const { path, headers, body } = peer.received[0]!
    expect(path).toBe(`/next/${SECRET}8d`)
    const at = new Date(Number(headers['x-svc-timestamp']) * 1000)
    expect(headers).toMatchObject(signatureHeaders(SECOND_URL, body, at))
  })

  it('that a 410 disabled are enabled by a URL, with the subscriptions that the 410 disabled', async () => {
    const { id } = await create(FIRST_URL)
    await subscribe(id)
    const byAdmin = await api().call(createSubscription, { event_type: 'pipeline.run.*', channel_id: id })
    await api().call(changeSubscription, { id: byAdmin.id, enabled: false })
    statuses = [410]
    await failDeploy()
    const channel = async () => (await api().call(listChannels, {})).items[0]
    await until(async () => (await channel())?.state === 'disabled')
    expect(await api().call(changeWebhook, { id, name: 'Still gone' })).toMatchObject({ state: 'disabled' })
    expect(await api().call(changeWebhook, { id, url: SECOND_URL })).toMatchObject({
      state: 'active',
      disabled_reason: null,
    })
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([
      { event_type: 'deploy.*', enabled: true },
      { event_type: 'pipeline.run.*', enabled: false, disabled_by: 'admin' },
    ])
    await failDeploy()
    await until(() => peer.received.length === 2)
    expect(peer.received[1]?.path).toBe(`/next/${SECRET}8d`)
  })

  it('get a test notification alone, and the ledger says that it arrived', async () => {
    const { id } = await create(FIRST_URL)
    const other = await create(SECOND_URL)
    await subscribe(other.id)
    const { notification_id } = await api().call(testChannel, { id })
    const entry = () => api().call(readDelivery, { id: notification_id })
    await until(async () => (await entry()).status === 'delivered')
    expect(await entry()).toMatchObject({
      event: { type: 'notification.test', subject: 'Test: notifications reach this channel' },
      destination: { kind: 'webhook', channel_id: id },
      tries: [{ outcome: 'sent', status: 200 }],
    })
    expect(peer.received.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [
        `/in/${SECRET}`,
        [
          {
            id: notification_id,
            event_type: 'notification.test',
            subject: 'Test: notifications reach this channel',
            occurred_at: expect.any(String),
            org_id: admin.org_id,
            link: expect.stringMatching(/\/settings\/organization\/integrations$/),
          },
        ],
      ],
    ])
    expect((await api().call(listDeliveries, {})).items).toHaveLength(1)
    expect((await api().call(listInbox, {})).items).toEqual([])
  })

  it('that refuse a test notification show why in the ledger', async () => {
    const { id } = await create(FIRST_URL)
    statuses = [401]
    const { notification_id } = await api().call(testChannel, { id })
    const entry = () => api().call(readDelivery, { id: notification_id })
    await until(async () => (await entry()).status === 'not_sent')
    expect(await entry()).toMatchObject({ state: 'failed', reason: 'http_401', tries: [{ status: 401 }] })
  })

  it('that are disabled, unconfirmed or of another organization get no test notification', async () => {
    const { id } = await create(FIRST_URL)
    const setState = (state: string) =>
      system.db.query(sql`
        update notifications.channels set state = ${state}, disabled_reason = 'http_410' where id = ${id}`)
    await setState('disabled')
    expect(await refusalOf(api().call(testChannel, { id }))).toEqual({
      status: 409,
      code: 'CHANNEL_NOT_ACTIVE',
      message: 'This channel is disabled (http_410), so nothing is sent to it.',
    })
    await setState('unconfirmed')
    expect(await refusalOf(api().call(testChannel, { id }))).toMatchObject({
      message: 'This channel is not confirmed yet, so nothing is sent to it.',
    })
    const other = system.client((await system.member('admin')).token)
    expect(await refusalOf(other.call(testChannel, { id }))).toMatchObject({ status: 404, message: 'No such channel.' })
    expect(peer.received).toEqual([])
  })

  it('NO-04 cannot be subscribed to test notifications', async () => {
    const { id } = await create(FIRST_URL)
    for (const event_type of ['notification.test', 'notification.*'])
      expect(await refusalOf(api().call(createSubscription, { event_type, channel_id: id }))).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
      })
  })

  it('stay enabled when the former URL answers 410 after a new one was saved', async () => {
    const { id } = await create(FIRST_URL)
    await subscribe(id)
    statuses = [410]
    const held = Promise.withResolvers<void>()
    answering = held.promise
    await failDeploy()
    await until(() => peer.received.length === 1)
    await api().call(changeWebhook, { id, url: SECOND_URL })
    held.resolve()
    await until(async () => (await api().call(listDeliveries, { status: 'not_sent' })).items.length === 1)
    expect((await api().call(listChannels, {})).items).toMatchObject([{ id, state: 'active' }])
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([{ enabled: true }])
  })
})
