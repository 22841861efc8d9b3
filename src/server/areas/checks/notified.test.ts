import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { changeCheck, createCheck, readCheckRun, runCheck } from '#contract/checks/checks.ts'
import type { CheckDefinition } from '#contract/checks/definition.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { createSubscription } from '#contract/notifications/subscriptions.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { sql } from '#lib/db/sql.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/internet.ts'
import { startMailServer, type TestMailServer } from '#test/mail-server.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

const HOOK_IP = '93.184.215.14'
const HOOK_URL = 'https://hooks.example.com/7a20be91c5f3'

let system: System
let sink: Peer
let mails: TestMailServer
let admin: Person
let builder: Person
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
beforeAll(async () => {
  sink = stack.use(await startPeer())
  mails = stack.use(await startMailServer())
  const resolve = fakeResolve({ 'hooks.example.com': [[HOOK_IP]] })
  const { host, port } = mails.address
  system = stack.use(
    await startSystem({
      env: { SVC_SMTP_URL: `smtp://${host}:${port}`, SVC_MAIL_FROM: 'svc@example.com' },
      safeFetch: createSafeFetch({ resolve, connect: fakeConnect({ [HOOK_IP]: sink }) }),
      checkAddress: createAddressCheck({ resolve }),
    }),
  )
  admin = await system.member('admin')
  builder = await system.member('viewer', admin.org_id)
  await as(admin).call(createApp, { alias: 'shop', name: 'Shop' })
  await as(admin).call(setAppPerson, { alias: 'shop', user_id: builder.user_id, part: 'builder' })
})

const as = ({ token }: Person) => system.client(token)

const EXPECTED = [
  ['application.check.failed', 'Check failed in Shop: Backup ran'],
  ['application.check.error', 'Check could not run in Shop: Backup ran'],
  ['application.check.indeterminate', 'Check was inconclusive in Shop (evidence limit): Backup ran'],
  ['application.check.recovered', 'Check passes again in Shop: Backup ran'],
] as const

const LOG = {
  kind: 'log',
  text: 'hush backup done',
  level: null,
  window_minutes: 15,
  min_count: 1,
  max_count: null,
} as const
const HTTP = { kind: 'http', target: '/hush', expected_status: null, contains: null, timeout_seconds: 10 } as const

it('NO-02 NO-03 the four events of a check reach an inbox, a webhook and a mailbox, each once and without log lines', async () => {
  await as(builder).call(setFollow, { app: 'shop', categories: ['checks'] })
  const hook = await as(admin).call(createWebhook, { url: HOOK_URL, per_message: 1 })
  const address = await as(admin).call(addEmail, { address: admin.email })
  for (const channel_id of [hook.id, address.id])
    await as(admin).call(createSubscription, { event_type: 'application.check.*', channel_id })

  const schedule = { cron: '0 0 1 1 *', timezone: 'UTC' }
  const check = await as(builder).call(createCheck, {
    alias: 'shop',
    name: 'Backup ran',
    definition: LOG,
    schedule,
    threshold: 2,
  })
  expect(await run(LOG, 3)).toEqual(['fail', 'fail', 'fail'])
  // The app has no start command, so nothing can be asked.
  expect(await run(HTTP, 2)).toEqual(['error', 'error'])
  await dropLines()
  expect(await run(LOG, 2)).toEqual(['indeterminate', 'indeterminate'])
  await writeLine('hush backup done')
  expect(await run(LOG, 2)).toEqual(['pass', 'pass'])
  await untilSent(EXPECTED.length)

  const inbox = (await as(builder).call(listInbox, {})).items.toReversed()
  expect(inbox.map(({ event_type, subject }) => [event_type, subject])).toEqual(EXPECTED)
  for (const { link, app } of inbox) {
    expect([app, link]).toEqual(['shop', expect.stringMatching(new RegExp(`/apps/shop/checks/${check.id}$`))])
  }
  const posted = sink.received.flatMap(({ body }) => JSON.parse(body))
  expect(sorted(posted.map(({ event_type, subject }) => `${event_type} ${subject}`))).toEqual(
    sorted(EXPECTED.map((event) => event.join(' '))),
  )
  const mailed = await Promise.all(mails.received.map(({ message }) => PostalMime.parse(message)))
  const subjects = mailed.map(({ subject }) => subject ?? '').filter((subject) => subject.includes('Backup'))
  expect(sorted(subjects)).toEqual(sorted(EXPECTED.map(([, subject]) => subject)))
  const sent = [...sink.received.map(({ body }) => body), ...mails.received.map(({ message }) => String(message))]
  expect(sent.filter((text) => text.includes('hush'))).toEqual([])
  expect(JSON.stringify(inbox)).not.toContain('hush')
})

function sorted(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => (a < b ? -1 : 1))
}

/** Runs the check so many times with this definition, and returns the verdicts. */
async function run(definition: CheckDefinition, times: number) {
  const of = { alias: 'shop', check: 'Backup ran' }
  await as(builder).call(changeCheck, { ...of, definition })
  const verdicts = []
  for (let n = 0; n < times; n++) {
    const { id } = await as(builder).call(runCheck, of)
    const ended = await until(async () => {
      const now = await as(builder).call(readCheckRun, { ...of, run_id: id })
      return now.state === 'ended' && now
    })
    verdicts.push(ended.verdict)
  }
  return verdicts
}

async function writeLine(text: string) {
  const body = (async function* () {
    yield Buffer.from(`${JSON.stringify({ text })}\n`)
  })()
  await as(builder).upload(ingestLogs, { alias: 'shop' }, body)
}

/** Leaves what the writer of logs leaves when an app writes faster than its lines can be stored. */
async function dropLines() {
  await system.db.query(sql`
    insert into apps.logs (app_id, at, level, source, text, dropped)
    select id, clock_timestamp() - interval '1 second', 3, 'system', '7 lines were dropped', 7 from apps.apps`)
}

async function untilSent(events: number) {
  await until(async () => {
    const { items } = await as(admin).call(listDeliveries, { limit: 100 })
    const areEnded = items.every(({ status }) => status === 'delivered' || status === 'not_sent')
    return new Set(items.map(({ event }) => event.id)).size === events && areEnded
  })
}
