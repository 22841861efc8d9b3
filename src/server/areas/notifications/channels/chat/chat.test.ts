import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { connectChat, disconnectChat, readChat } from '#contract/notifications/chat.ts'
import { listDeliveries, readDelivery } from '#contract/notifications/deliveries.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
} from '#contract/notifications/subscriptions.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { digestLoop } from '../../digest/close.ts'

const app = { id: newId('app'), alias: 'shop', name: 'Shop' }

describe('NO-10 a chat channel that is connected by its incoming webhook', () => {
  let system: System
  let slack: FakeSlack
  let admin: Awaited<ReturnType<System['member']>>
  let team: string
  beforeAll(async () => {
    slack = await startFakeSlack()
    system = await startSystem({ safeFetch: slack.safeFetch })
  })
  afterAll(async () => {
    // The system searches its tables and logs for these when it stops.
    system.secrets.push(...slack.secrets)
    await system?.[Symbol.asyncDispose]()
    await slack[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    admin = await system.member('admin')
    team = `T${randomBytes(5).toString('hex').toUpperCase()}`
  })

  /** Those of this test's workspace: retries of other tests may arrive at any time. */
  const messages = () => slack.messages.filter((one) => one.team === team)
  const api = () => system.client(admin.token)
  const connect = (webhook_url = slack.addWebhook(team), name?: string) =>
    api().call(connectChat, { webhook_url, ...(name && { name }) })
  const channel = async () => (await api().call(listChannels, {})).items[0]!
  const subscriptions = async () => (await api().call(listSubscriptions, {})).items
  const ledger = async () => (await api().call(listDeliveries, {})).items
  const emitted = (event: Pick<EventOf, 'type' | 'body'>) =>
    system.db.tx((tx) => emit(tx, { ...event, org_id: admin.org_id, occurred_at: new Date() } as EventOf))
  const newTicket = (title = 'Help') =>
    emitted({
      type: 'support.ticket.created',
      body: { status: 'filed', actor_id: null, app, ticket: { id: newId('tkt'), title }, reporter_id: null },
    })
  const failDeploy = () =>
    emitted({
      type: 'deploy.failed',
      body: { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') },
    })
  const texts = () => messages().map(({ message }) => String(message.text))
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }

  it('shows its origin and last four characters, and that direct messages need the installation', async () => {
    const url = slack.addWebhook(team)
    const { warnings, ...connection } = await connect(url, '#support')
    expect(connection).toEqual({
      channel: {
        id: expect.stringMatching(/^chn_/),
        kind: 'chat',
        label: `#support (https://hooks.slack.com …${url.slice(-4)})`,
        state: 'active',
        disabled_reason: null,
        failing_since: null,
        created_at: expect.any(String),
        standard_webhooks: null,
      },
      workspace: { id: team, name: null },
      personal_messages: 'not_installed',
      installable: false,
    })
    expect(warnings).toEqual([expect.stringContaining('Direct messages to people who follow an app need the chat app')])
    expect(await api().call(readChat, {})).toEqual(connection)
    expect(await channel()).toEqual(connection.channel)
  })

  it('NO-06 is subscribed to new tickets and gets one line and one link for each', async () => {
    await connect()
    expect(await subscriptions()).toMatchObject([
      { event_type: 'support.ticket.created', timing: 'immediately', enabled: true },
    ])
    await newTicket('Cannot <pay> & leave')
    await until(() => messages().length === 1)
    expect(texts()).toEqual([
      expect.stringMatching(
        /^New ticket in Shop: Cannot &lt;pay&gt; &amp; leave <https?:\/\/[^ |]+\/apps\/shop\/tickets\/tkt_\w+\|Open>$/,
      ),
    ])
    await until(async () => (await ledger())[0]?.status === 'delivered')
    expect(await ledger()).toMatchObject([{ destination: { kind: 'chat' }, attempts: 1 }])
  })

  it('NO-06 is subscribed to pipelines by the first pipeline event, which is delivered too', async () => {
    await connect()
    const pipeline = { id: newId('pl'), name: 'nightly' }
    await emitted({
      type: 'pipeline.run.failed',
      body: { status: 'failed', actor_id: null, app, pipeline, run_id: null },
    })
    await until(() => messages().length === 1)
    expect(texts()).toEqual([expect.stringMatching(/^Pipeline failed in Shop: nightly </)])
    expect((await subscriptions()).map(({ event_type }) => event_type)).toEqual([
      'support.ticket.created',
      'pipeline.run.*',
    ])
  })

  it('gets a test notification', async () => {
    const { channel: connected } = await connect()
    const { notification_id } = await api().call(testChannel, { id: connected!.id })
    await until(async () => (await api().call(readDelivery, { id: notification_id })).status === 'delivered')
    expect(texts()).toEqual([expect.stringMatching(/^Test: notifications reach this channel <.*\|Open>$/)])
  })

  it('gets at most one message a second', async () => {
    await connect()
    await newTicket('First')
    await until(() => messages().length === 1)
    await until(async () => (await ledger())[0]?.status === 'delivered')
    const [row] = await system.db.query<{ pause: number }>(sql`
      select extract(epoch from paused_until - ended_at)::float8 as pause
      from notifications.destinations join notifications.deliveries on destination_key = key
      where key = ${`chat:${(await channel()).id}`}`)
    expect(row?.pause).toBeGreaterThan(0.9)
  })

  it('is left alone for as long as Slack asks for', async () => {
    await connect()
    slack.answerNext(
      { team, path: '/services/' },
      { status: 429, body: 'rate_limited', headers: { 'retry-after': '300' } },
    )
    await newTicket()
    await until(async () => (await ledger())[0]?.status === 'retrying')
    const [entry] = await ledger()
    expect(entry).toMatchObject({ reason: 'rate_limited', attempts: 1 })
    expect(Date.parse(entry!.next_attempt_at!)).toBeGreaterThan(Date.now() + 200_000)
  })

  it('that hangs up while it answers is unknown and not tried again', async () => {
    await connect()
    slack.answerNext({ team, path: '/services/' }, 'hang up')
    await newTicket()
    await until(async () => (await ledger())[0]?.status === 'not_sent')
    expect(await ledger()).toMatchObject([{ state: 'failed', reason: 'outcome_unknown', attempts: 1 }])
  })

  it('is disabled with its subscriptions when the webhook is deleted; connecting enables what the loss disabled', async () => {
    const url = slack.addWebhook(team)
    const { channel: connected } = await connect(url)
    const channel_id = connected!.id
    const byAdmin = await api().call(createSubscription, { event_type: 'deploy.*', channel_id })
    await api().call(changeSubscription, { id: byAdmin.id, enabled: false })
    const later = await api().call(createSubscription, { event_type: 'application.check.*', channel_id })
    slack.deleteWebhook(url)
    await newTicket()
    await until(async () => (await channel()).state === 'disabled')
    expect(await channel()).toMatchObject({ id: channel_id, disabled_reason: 'no_service' })
    expect(await ledger()).toMatchObject([{ status: 'not_sent', reason: 'no_service', attempts: 1 }])
    expect((await subscriptions()).map(({ disabled_by }) => disabled_by)).toEqual([
      'connection_lost',
      'admin',
      'connection_lost',
    ])
    await api().call(changeSubscription, { id: later.id, enabled: false })

    expect(await connect()).toMatchObject({ channel: { id: channel_id, state: 'active', disabled_reason: null } })
    expect((await subscriptions()).map(({ enabled, disabled_by }) => [enabled, disabled_by])).toEqual([
      [true, null],
      [false, 'admin'],
      [false, 'admin'],
    ])
    await newTicket()
    await until(() => messages().length === 1)
  })

  it('a retimed subscription stays marked as disabled by the loss of the connection', async () => {
    const url = slack.addWebhook(team)
    await connect(url)
    slack.deleteWebhook(url)
    await newTicket()
    await until(async () => (await channel()).state === 'disabled')
    const [tickets] = await subscriptions()
    await api().call(changeSubscription, { id: tickets!.id, timing: 'daily' })
    await connect()
    expect(await subscriptions()).toMatchObject([{ enabled: true, timing: 'daily' }])
  })

  it('stays enabled when the former webhook proves to be deleted after another one was saved', async () => {
    const url = slack.addWebhook(team)
    await connect(url)
    slack.deleteWebhook(url)
    await newTicket()
    await until(async () => (await channel()).state === 'disabled')
    await connect()
    await newTicket()
    await until(() => messages().length === 1)
    // The attempt began before the second webhook was saved.
    await system.db.query(sql`
      update notifications.channels
      set settings = settings || jsonb_build_object('url_saved_at', clock_timestamp() + interval '1 hour')
      where org_id = ${admin.org_id}`)
    slack.answerNext({ team, path: '/services/' }, { status: 404, body: 'no_service' })
    await newTicket()
    await until(async () => (await ledger())[0]?.status === 'not_sent')
    expect(await channel()).toMatchObject({ state: 'active' })
  })

  it('NO-06 that an admin unsubscribed from tickets stays so, also when it is connected again', async () => {
    const url = slack.addWebhook(team)
    await connect(url)
    const [tickets] = await subscriptions()
    await api().call(deleteSubscription, { id: tickets!.id })
    await connect(url)
    const next = slack.addWebhook(team)
    await connect(next)
    expect(await subscriptions()).toEqual([])
    for (const again of [url, next]) {
      await api().call(disconnectChat, {})
      await connect(again)
      expect(await subscriptions()).toEqual([])
    }
    await api().call(disconnectChat, {})
    await connect(slack.addWebhook(team))
    expect(await subscriptions()).toMatchObject([{ event_type: 'support.ticket.created' }])
  })

  it('is disconnected with its subscriptions, and what waits for it is dropped', async () => {
    await connect()
    slack.answerNext({ team, path: '/services/' }, { status: 503, body: '' })
    await newTicket()
    await until(async () => (await ledger())[0]?.status === 'retrying')
    expect(await api().call(disconnectChat, {})).toEqual({ deleted: true })
    expect(await api().call(readChat, {})).toEqual({
      channel: null,
      workspace: null,
      personal_messages: 'not_installed',
      installable: false,
    })
    expect(await subscriptions()).toEqual([])
    await system.db.query(sql`update notifications.deliveries set next_at = clock_timestamp()`)
    await system.db.query(sql`update notifications.destinations set retry_at = clock_timestamp()`)
    await system.db.query(sql`select pg_notify('svc_notifications', '')`)
    await until(async () => (await ledger())[0]?.status === 'not_sent')
    expect(await ledger()).toMatchObject([{ reason: 'destination_gone' }])
    expect(await refusalOf(api().call(disconnectChat, {}))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: 'No such chat connection.',
    })
  })

  it('NO-14 gets a digest as one line and one link', async () => {
    const { channel: connected } = await connect()
    const deploys = { event_type: 'deploy.*', channel_id: connected!.id, timing: 'hourly' } as const
    await api().call(createSubscription, deploys)
    await failDeploy()
    await failDeploy()
    await until(async () => (await ledger()).filter(({ status }) => status === 'pending').length === 2)
    await system.db.query(sql`
      update notifications.notifications set window_end = date_trunc('minute', now()) where org_id = ${admin.org_id}`)
    await digestLoop({ db: system.db, onError: (error) => expect.fail(String(error)) }).tick(
      new Date(),
      new AbortController().signal,
    )
    await until(() => messages().length === 1)
    expect(texts()).toEqual([expect.stringMatching(/^2 notifications about Shop <[^ ]+\/apps\/shop\|Open>$/)])
  })

  it.each([
    ['another host', 'https://hooks.example.com/services/T0ACME/B0X/abcdefghijkl'],
    ['a host that begins alike', 'https://hooks.slack.com.evil.example/services/T0ACME/B0X/abcdefghijkl'],
    ['a user part', 'https://hooks.slack.com@evil.example/services/T0ACME/B0X/abcdefghijkl'],
    ['another port', 'https://hooks.slack.com:8443/services/T0ACME/B0X/abcdefghijkl'],
    ['plain http', 'http://hooks.slack.com/services/T0ACME/B0X/abcdefghijkl'],
    ['a workflow trigger', 'https://hooks.slack.com/triggers/T0ACME/123/abcdefghijkl'],
    ['a missing secret', 'https://hooks.slack.com/services/T0ACME/B0X/'],
    ['a query', 'https://hooks.slack.com/services/T0ACME/B0X/abcdefghijkl?x=1'],
    ['a second line', 'https://hooks.slack.com/services/T0ACME/B0X/abcdefghijkl\nX'],
  ])('is refused with a URL that has %s, and the former one stays', async (_, webhook_url) => {
    const { channel: before } = await connect()
    const refusal = await refusalOf(api().call(connectChat, { webhook_url }))
    expect(refusal).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(refusal.message).toMatch(/^This is not the URL of an incoming webhook\. Copy it/)
    expect(refusal.message).not.toContain('abcdefghijkl')
    expect(await channel()).toEqual(before)
  })

  it('is one for each organization, also when two admins connect it at the same moment', async () => {
    await Promise.all(Array.from({ length: 4 }, () => connect()))
    expect((await api().call(listChannels, {})).items).toHaveLength(1)
  })
})
