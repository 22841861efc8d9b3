import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { connectChat } from '#contract/notifications/chat.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { sql } from '#lib/db/sql.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'
import { SCHEDULE_CHANNEL } from './registry/store.ts'

const HOOK_IP = '93.184.215.14'
const HOOK_URL = 'https://hooks.example.com/3f9c1e77a04d'

const clock = testClock(new Date())
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
      clock,
      env: { SVC_SMTP_URL: `smtp://${host}:${port}`, SVC_MAIL_FROM: 'svc@example.com' },
      safeFetch: (url, request) => (url.startsWith(HOOK_URL) ? toSink : slack.safeFetch)(url, request),
      checkAddress: createAddressCheck({ resolve }),
    }),
  )
  // The system searches its tables and logs for these when it stops.
  stack.defer(() => void system.secrets.push(...slack.secrets))
})

it('NO-02 NO-06 the four events of a pipeline reach a webhook, a mailbox and the chat channel that the first one subscribes', async () => {
  const admin = await system.member('admin')
  const api = system.client(admin.token)
  await api.call(createApp, { alias: 'shop', name: 'Shop' })
  const team = `T${admin.org_id.slice(-9).toUpperCase()}`
  await api.call(connectChat, { webhook_url: slack.addWebhook(team) })
  const hook = await api.call(createWebhook, { url: HOOK_URL, per_message: 1 })
  const address = await api.call(addEmail, { address: admin.email })
  for (const channel_id of [hook.id, address.id])
    await api.call(createSubscription, { event_type: 'pipeline.run.*', channel_id })
  const chatSubscriptions = async () =>
    (await api.call(listSubscriptions, {})).items.flatMap(({ channel, event_type }) =>
      channel.kind === 'chat' ? event_type : [],
    )
  expect(await chatSubscriptions()).toEqual(['support.ticket.created'])

  const connect = (name: string) =>
    connectRawWorker(api, 'shop', { pipelines: [{ name, schedule: name === 'often' ? '* * * * *' : null }] })
  const events = async () => {
    const rows = await system.db.query<{ type: string }>(sql`
      select type from (
        select id, org_id, type from svc.outbox union select id, org_id, type from notifications.events
      ) as event where org_id = ${admin.org_id} order by id`)
    return rows.map(({ type }) => type)
  }
  /** Lets minutes pass in small steps, as the evaluator's own timer would see them, until it has happened. */
  const passTime = (hasHappened: () => Promise<boolean>) =>
    until(async () => {
      clock.advance(15_000)
      await system.db.query(sql`select pg_notify(${SCHEDULE_CHANNEL}, '')`)
      return hasHappened()
    })
  const runOnce = async (outcome: { error: string } | { output: null }) => {
    const worker = await connect('often')
    let isGiven = false
    const given = worker.nextCall().finally(() => {
      isGiven = true
    })
    await passTime(async () => isGiven)
    const { call_id, fence } = await given
    // Nothing else may be given to it, so that the next run finds no worker.
    await worker.heartbeat([call_id], true)
    await worker.report({ call_id, fence, ...outcome })
    await worker.close()
  }
  const EXPECTED = [
    ['pipeline.run.failed', 'Pipeline failed in Shop: often'],
    ['pipeline.run.host_offline', 'No worker was connected for a pipeline in Shop: often'],
    ['pipeline.run.missed', 'Scheduled pipeline run did not happen in Shop: often'],
    ['pipeline.run.recovered', 'Pipeline recovered in Shop: often'],
  ]
  const types = EXPECTED.map(([type]) => type!)
  const hasSent = (count: number) => async () => (await events()).length >= count

  await runOnce({ error: 'hush-text' })
  await passTime(hasSent(2))
  const other = await connect('other')
  await passTime(hasSent(3))
  await other.close()
  await runOnce({ output: null })
  expect(await events()).toEqual(types)

  await until(async () => {
    const { items } = await api.call(listDeliveries, { limit: 100 })
    return items.length === 12 && items.every(({ status }) => status === 'delivered')
  })
  const posted = sink.received.flatMap(({ body }) => JSON.parse(body))
  const bySubject = (a: string[], b: string[]) => (a[1]! < b[1]! ? -1 : 1)
  expect(posted.map(({ event_type, subject }) => [event_type, subject]).sort(bySubject)).toEqual(
    EXPECTED.toSorted(bySubject),
  )
  for (const { link, app } of posted)
    expect([app, link]).toEqual(['shop', expect.stringMatching(/\/pipelines\/pl_\w+$/)])
  const mailed = await Promise.all(mails.received.map(({ message }) => PostalMime.parse(message)))
  const mailSubjects = mailed.map(({ subject }) => subject).filter((subject) => subject?.includes('Shop'))
  expect(mailSubjects).toHaveLength(4)
  expect(new Set(mailSubjects)).toEqual(new Set(EXPECTED.map(([, subject]) => subject)))
  expect(await chatSubscriptions()).toEqual(['support.ticket.created', 'pipeline.run.*'])
  const chat = slack.messages.filter((one) => one.team === team).map(({ message }) => String(message.text))
  for (const [, subject] of EXPECTED) expect(chat.filter((text) => text.includes(subject!))).toHaveLength(1)
  const sent = [
    ...sink.received.map(({ body }) => body),
    ...mails.received.map(({ message }) => String(message)),
    ...chat,
  ]
  expect(sent.filter((text) => text.includes('hush'))).toEqual([])
})
