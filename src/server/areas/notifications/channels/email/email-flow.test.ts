import { createHash, generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createSendMail } from '#lib/net/mail/mail.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People, Person } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { smtpRefusal, startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../../create-deliveries.ts'
import type { MailSettings } from '../../model/deps.ts'
import { addSubscription, openUnsubscribeToken } from '../../subscriptions/store.ts'
import { insertChannel } from '../store.ts'
import { listKeptMails } from './mailbox-store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const app = { id: newId('app'), alias: 'shop', name: 'Shop & <b>Sons</b>' }
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const dkim = {
  domain: 'example.com',
  selector: 'svc',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}
const from = { name: 'svc', address: 'svc@example.com' }
let opened: TestDatabase
let db: Db
let members: Person[] = []

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  members = []
  const tables = ['attempts', 'deliveries', 'notifications', 'destinations', 'subscriptions', 'channels', 'events']
  for (const table of tables) await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: members.filter(({ role }) => role !== 'member') }),
  member: async (_, id) => ({ isKnown: true, value: members.find(({ user_id }) => user_id === id) }),
  memberByEmail: async (_, email) => ({ isKnown: true, value: members.find((one) => one.email === email) }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

async function startWorker(mail: MailSettings | 'mailbox' | undefined): Promise<AsyncDisposable> {
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  const { loops, slots } = createDeliveries({
    db,
    sealer,
    people,
    safeFetch: createSafeFetch(),
    clock: systemClock,
    mail,
    baseUrl: () => 'https://svc.example.com',
    onError: (error) => fail('', error),
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
const subscribed = (address: string) =>
  db.tx(async (tx) => {
    const { id: channel_id } = await insertChannel(tx, sealer, {
      org_id: org,
      kind: 'email',
      label: address,
      settings: { address },
    })
    const added = {
      org_id: org,
      owner: 'organization',
      channel_id,
      pattern: 'deploy.*',
      timing: 'immediately',
    } as const
    return { channel_id, id: (await addSubscription(tx, sealer, added))! }
  })
const deliveries = () =>
  db.query<{ id: string; state: string; reason: string | null; attempt: number }>(sql`
    select id, state, reason, attempt from notifications.deliveries order by id`)
const settled = (state: string) => until(async () => (await deliveries()).find((delivery) => delivery.state === state))
const via = (server: TestMailServer): MailSettings => ({ from, dkim, sendMail: createSendMail(server.address) })

describe('from an event to a mail', () => {
  it('NO-09 a mail has what happened, a link and a signed one-click unsubscribe link', async () => {
    await using server = await startMailServer()
    const { id } = await subscribed('Team@Example.org')
    await using _worker = await startWorker(via(server))
    const event = failedDeploy()
    await emitted(event)
    const delivery = await settled('sent')
    expect(server.received).toHaveLength(1)
    const { to, from: sender, message } = server.received[0]!
    expect([sender, to]).toEqual(['svc@example.com', ['Team@example.org']])

    const link = `https://svc.example.com/unsubscribe/${await openUnsubscribeToken(db, sealer, id)}`
    const page = `https://svc.example.com/apps/shop/deploys/${event.body.deployment_id}`
    const mail = await PostalMime.parse(message)
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    expect(mail.messageId).toBe(`<${delivery.id}@example.com>`)
    expect(mail.subject).toBe('Deploy of Shop & <b>Sons</b> failed: BUILD_FAILED')
    expect(mail.text?.trimEnd()).toBe(
      `${mail.subject}\nApp: shop\nTime: 2026-05-01 10:00 UTC\n${page}\n\n-- \nUnsubscribe from these mails: ${link}`,
    )
    expect(mail.html).toContain('Deploy of Shop &amp; &lt;b&gt;Sons&lt;/b&gt; failed: BUILD_FAILED')
    expect(mail.html).toContain(`href="${page}"`)
    expect(mail.html).toContain(`href="${link}"`)
    expect(header('list-unsubscribe')).toBe(`<${link}>`)
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(header('auto-submitted')).toBe('auto-generated')

    const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const asked: string[] = []
    const { results } = await dkimVerify(message, {
      resolver: async (name: string) => {
        asked.push(name)
        return [[`v=DKIM1; k=rsa; p=${published}`]]
      },
    })
    expect(asked).toContain('svc._domainkey.example.com')
    expect(results).toHaveLength(1)
    expect(results[0]?.status.result).toBe('pass')
    const signed = /\bh=([^;]+);/
      .exec(header('dkim-signature') ?? '')?.[1]
      ?.toLowerCase()
      .split(/\s*:\s*/)
    expect(signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post', 'from']))
  })

  it('NO-07 a mail that is refused for now is retried with the same Message-ID', async () => {
    const answers = [451]
    await using server = await startMailServer({
      onRcptTo: (_, __, done) => {
        const code = answers.shift()
        done(code === undefined ? null : smtpRefusal(code, 'later'))
      },
    })
    await subscribed('team@example.org')
    await using _worker = await startWorker(via(server))
    await emitted(failedDeploy())
    await until(async () => (await deliveries()).some(({ reason }) => reason === 'smtp_451'))
    await db.query(sql`update notifications.deliveries set next_at = clock_timestamp()`)
    await db.query(sql`update notifications.destinations set retry_at = clock_timestamp()`)
    await db.query(sql`select pg_notify('svc_notifications', '')`)
    const { id, attempt } = await settled('sent')
    expect(attempt).toBe(2)
    expect(server.received).toHaveLength(1)
    expect((await PostalMime.parse(server.received[0]!.message)).messageId).toBe(`<${id}@example.com>`)
  })

  it('NO-07 a mail whose connection breaks after the body is unknown and never sent again', async () => {
    await using server: TestMailServer = await startMailServer({
      onData: (stream) => stream.on('end', () => server.drop()).resume(),
    })
    await subscribed('team@example.org')
    await using _worker = await startWorker(via(server))
    await emitted(failedDeploy())
    expect(await settled('unknown')).toMatchObject({ reason: 'smtp_lost', attempt: 1 })
    expect(server.connections).toBe(1)
  })

  it('NO-09 an address that does not exist is disabled', async () => {
    await using server = await startMailServer({
      onRcptTo: (_, __, done) => done(smtpRefusal(550, '5.1.1 no such mailbox')),
    })
    const { channel_id } = await subscribed('team@example.org')
    await using _worker = await startWorker(via(server))
    await emitted(failedDeploy())
    expect(await settled('failed')).toMatchObject({ reason: 'smtp_550' })
    const [row] = await db.query(sql`select state from notifications.channels where id = ${channel_id}`)
    expect(row).toEqual({ state: 'disabled' })
  })

  it('NO-06 owners and admins are mailed when support staff come in, at the address they have then', async () => {
    await using server = await startMailServer()
    const owner = { user_id: newId('usr'), email: 'mara@example.org', display_name: 'Mara', role: 'owner' } as const
    members = [owner]
    await using _worker = await startWorker(via(server))
    const started: EventOf<'org.support_access.started'> = {
      type: 'org.support_access.started',
      org_id: org,
      occurred_at: new Date('2026-05-01T10:00:00Z'),
      body: { status: 'read_only', actor_id: null, support_session_id: newId('sup') },
    }
    await emitted(started)
    await settled('sent')
    expect(server.received.map(({ to }) => to)).toEqual([['mara@example.org']])
  })

  it('NO-09 a mail that is kept in the mailbox counts as sent', async () => {
    await subscribed('team@example.org')
    await using _worker = await startWorker('mailbox')
    await emitted(failedDeploy())
    const { id } = await settled('sent')
    expect(await listKeptMails(db, sealer, org)).toMatchObject([
      { delivery_id: id, recipient: 'team@example.org', subject: 'Deploy of Shop & <b>Sons</b> failed: BUILD_FAILED' },
    ])
  })

  it('NO-12 without a mail server the ledger says so', async () => {
    await subscribed('team@example.org')
    await using _worker = await startWorker(undefined)
    await emitted(failedDeploy())
    expect(await settled('failed')).toMatchObject({ reason: 'mail_not_configured' })
  })
})
