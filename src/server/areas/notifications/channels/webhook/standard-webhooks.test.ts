import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { readDelivery, resendDelivery } from '#contract/notifications/deliveries.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { webhookRequest } from '#contract/notifications/webhook-request.ts'
import { deleteWebhookSecret, rotateWebhookSecret } from '#contract/notifications/webhook-secret.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { sql } from '#lib/db/sql.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { retentionLoop } from '../../retention/loop.ts'
import { signatureHeaders, standardKey, WEBHOOK_DIGESTS } from './sign.ts'

const PUBLIC_IP = '93.184.215.14'
const URL_TYPED = 'https://hooks.example.com/in/Vf7Qk2Zp9xLw4TnB'
const SECRET = 'whsec_c3ZjLWV4YW1wbGUtc2VjcmV0LWZvci1kb2NzLTAwMDE='
const HOUR_MS = 60 * 60_000

type Received = Peer['received'][number]

/** Verifies with the reference library, which compares the timestamp with the time of the process. */
function isVerified(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 })
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

describe('NO-17 a webhook with a signing secret', () => {
  const clock = testClock(new Date())
  let system: System
  let peer: Peer
  let statuses: number[] = []
  let admin: Awaited<ReturnType<System['member']>>
  let id: string
  beforeAll(async () => {
    peer = await startPeer((_, response) => {
      response.statusCode = statuses.shift() ?? 200
      response.end()
    })
    const resolve = fakeResolve({ 'hooks.example.com': [[PUBLIC_IP]] })
    const safeFetch = createSafeFetch({ resolve, connect: fakeConnect({ [PUBLIC_IP]: peer }) })
    system = await startSystem({ clock, safeFetch, checkAddress: createAddressCheck({ resolve }) })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    statuses = []
    peer.received.length = 0
    admin = await system.member('admin')
    id = (await api().call(createWebhook, { url: URL_TYPED })).id
  })

  const api = () => system.client(admin.token)
  const stateOf = async () => (await api().call(listChannels, {})).items.find((one) => one.id === id)?.standard_webhooks
  /** The system searches its tables and logs for the secret when it stops. */
  const rotate = async () => {
    const rotated = await api().call(rotateWebhookSecret, { id })
    system.secrets.push(rotated.secret)
    return rotated
  }
  const deliver = async (): Promise<Received> => {
    const count = peer.received.length
    await api().call(testChannel, { id })
    await until(() => peer.received.length > count)
    return peer.received.at(-1)!
  }
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }

  it('is verified by the reference library, and keeps the headers made from its URL', async () => {
    const before = await deliver()
    expect(Object.keys(before.headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    const { secret, former_ends_at } = await rotate()
    expect([secret, former_ends_at]).toEqual([expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), null])
    const { headers, body } = await deliver()
    expect(isVerified(secret, { headers, body })).toBe(true)
    expect(isVerified(SECRET, { headers, body })).toBe(false)
    expect(isVerified(secret, { headers, body: body.replace('Test', 'Fest') })).toBe(false)
    const at = new Date(Number(headers['x-svc-timestamp']) * 1000)
    expect(headers).toMatchObject({
      ...signatureHeaders(URL_TYPED, body, at),
      'webhook-id': headers['x-svc-delivery'],
      'webhook-timestamp': headers['x-svc-timestamp'],
    })
  })

  it('signs with both secrets for 24 hours after a rotation, and then with the new one only', async () => {
    const first = await rotate()
    const second = await rotate()
    expect(second.former_ends_at).toBe(new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString())
    expect(await stateOf()).toEqual({
      secret_created_at: second.created_at,
      former_ends_at: second.former_ends_at,
    })
    const verdicts = (request: Received) => [first, second].map(({ secret }) => isVerified(secret, request))
    clock.advance(24 * HOUR_MS - 1)
    const during = await deliver()
    expect(during.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
    expect(verdicts(during)).toEqual([true, true])
    clock.advance(1)
    const after = await deliver()
    expect(after.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/)
    expect(verdicts(after)).toEqual([false, true])
    expect(await stateOf()).toEqual({ secret_created_at: second.created_at, former_ends_at: null })
  })

  it('gives each replaced secret its 24 hours, and is refused a sixth that would sign at once', async () => {
    const secrets = [(await rotate()).secret]
    const firstEnd = new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString()
    for (let n = 0; n < 4; n++) secrets.push((await rotate()).secret)
    expect(await refusalOf(rotate())).toEqual({
      status: 409,
      code: 'CONFLICT',
      message: `This webhook still signs with 4 replaced secrets, so it cannot get another one yet. Try again after ${firstEnd}, or delete its secret and generate a new one without an overlap.`,
    })
    const request = await deliver()
    expect(secrets.map((secret) => isVerified(secret, request))).toEqual([true, true, true, true, true])
    clock.advance(24 * HOUR_MS)
    expect(await rotate()).toMatchObject({ secret: expect.stringMatching(/^whsec_/) })
  })

  it('has one webhook-id in every attempt and in a resend of a message', async () => {
    await rotate()
    statuses = [503]
    const { notification_id } = await api().call(testChannel, { id })
    const entry = () => api().call(readDelivery, { id: notification_id })
    await until(async () => (await entry()).tries[0]?.outcome === 'retry')
    await system.db.query(sql`
      update notifications.deliveries set next_at = clock_timestamp() where channel_id = ${id} and state = 'pending'`)
    await system.db.query(sql`
      update notifications.destinations set retry_at = clock_timestamp() where key = ${`webhook:${id}`}`)
    await until(async () => (await entry()).status === 'delivered')
    await api().call(resendDelivery, { id: notification_id, may_arrive_twice: true })
    await until(() => peer.received.length === 3)
    const headers = peer.received.map((request) => request.headers)
    expect(new Set(headers.map((one) => one['webhook-id']))).toEqual(new Set([headers[0]!['x-svc-delivery']]))
    expect(headers[2]!['x-svc-delivery']).not.toBe(headers[0]!['x-svc-delivery'])
  })

  it('loses the headers of Standard Webhooks at once when its secrets are deleted', async () => {
    await rotate()
    await rotate()
    expect(await api().call(deleteWebhookSecret, { id })).toEqual({ deleted: true })
    expect(await stateOf()).toBeNull()
    const { headers } = await deliver()
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    expect(headers['x-svc-signature']).toMatch(/^v1=[0-9a-f]{64}$/)
    const refusal = { status: 404, code: 'NOT_FOUND', message: 'No such signing secret.' }
    expect(await refusalOf(api().call(deleteWebhookSecret, { id }))).toEqual(refusal)
  })

  it('is not found in another organization, and no other channel can have a secret', async () => {
    const other = system.client((await system.member('admin')).token)
    const missing = { status: 404, code: 'NOT_FOUND', message: 'No such webhook.' }
    expect(await refusalOf(other.call(rotateWebhookSecret, { id }))).toEqual(missing)
    expect(await refusalOf(other.call(deleteWebhookSecret, { id }))).toEqual(missing)
    const email = await api().call(addEmail, { address: 'team@example.com' })
    expect(await refusalOf(api().call(rotateWebhookSecret, { id: email.id }))).toEqual(missing)
  })

  it('keeps no secret after its end', async () => {
    await rotate()
    await rotate()
    const count = async () =>
      (await system.db.query(sql`select 1 from notifications.signing_secrets where channel_id = ${id}`)).length
    const signal = new AbortController().signal
    await retentionLoop({ db: system.db }).tick(new Date(clock.now().getTime() + 24 * HOUR_MS - 1), signal)
    expect(await count()).toBe(2)
    await retentionLoop({ db: system.db }).tick(new Date(clock.now().getTime() + 24 * HOUR_MS), signal)
    expect(await count()).toBe(1)
  })
})

describe('NO-17 the request of a webhook', () => {
  const message = { url: URL_TYPED, deliveryId: 'dlv_01m7ef3pmye2s88xhbym313vns', notifications: [] }
  const at = new Date('2026-01-01T00:00:00.999Z')
  const OWN_HEADERS = {
    'content-type': 'application/json',
    'user-agent': 'svc-notifications',
    'x-svc-delivery': 'dlv_01m7ef3pmye2s88xhbym313vns',
    'x-svc-timestamp': '1767225600',
    'x-svc-signature': 'v1=eb09387fe9e38cdc4aba3aa95dee097cca5e48ea6f063b23480d7ee92bb03c73',
  }

  it('without a secret is the one before, byte for byte', () => {
    expect(webhookRequest(WEBHOOK_DIGESTS, { ...message, at })).toEqual({ headers: OWN_HEADERS, body: '[]' })
  })

  it('with a secret has three more headers', () => {
    const standard = { id: message.deliveryId, keys: [standardKey(SECRET)] }
    expect(webhookRequest(WEBHOOK_DIGESTS, { ...message, at, standard })).toEqual({
      headers: {
        ...OWN_HEADERS,
        'webhook-id': 'dlv_01m7ef3pmye2s88xhbym313vns',
        'webhook-timestamp': '1767225600',
        'webhook-signature': 'v1,59ymYcmOhk2G1mQTfE58cboixvGaRtY/bj3BE1x62Kk=',
      },
      body: '[]',
    })
  })
})
