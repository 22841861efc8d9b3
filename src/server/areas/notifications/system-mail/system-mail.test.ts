import { createHash } from 'node:crypto'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createSendMail } from '#lib/net/mail/mail.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import type { People } from '#ports/people.ts'
import type { SystemMail } from '#ports/system-mail.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { smtpRefusal, startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../create-deliveries.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { finishDeliveries } from '../deliver/finish.ts'
import { reapLoop } from '../deliver/reap.ts'
import type { MailSettings } from '../model/deps.ts'
import { createSystemMails } from './store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const mails = createSystemMails({ sealer })
const TOKEN = 'svci_secret-of-the-link'
let opened: TestDatabase
let db: Db

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const table of ['attempts', 'deliveries', 'destinations'])
    await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const nobody: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

async function startWorker(mail: MailSettings | 'mailbox' | undefined): Promise<AsyncDisposable> {
  const fail = (_: string, error: unknown) => expect.fail(String(error))
  const { loops, slots } = createDeliveries({
    db,
    sealer,
    people: nobody,
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

const via = (server: TestMailServer): MailSettings => ({
  from: { name: 'svc', address: 'svc@example.com' },
  dkim: undefined,
  sendMail: createSendMail(server.address),
})
const invitation = (changed: Partial<SystemMail> = {}): SystemMail => ({
  key: 'invitation:inv_1:1',
  org_id: org,
  to: 'Mara@Example.org',
  subject: 'You are invited\r\nBcc: everyone@example.org',
  paragraphs: ['Olu <b>invites</b> you.', 'The invitation is valid for seven days.'],
  action: { label: 'See the invitation', link: `https://svc.example.com/invitations/${TOKEN}` },
  expires_at: null,
  ...changed,
})
const queued = (mail: SystemMail) => db.tx((tx) => mails.queue(tx, mail))
type Row = { state: string; reason: string | null; attempt: number; message: string | null }
const deliveries = () =>
  db.query<Row>(sql`select state, reason, attempt, message from notifications.deliveries order by id`)
const settled = (state: string) => until(async () => (await deliveries()).find((row) => row.state === state))
async function retryNow(): Promise<void> {
  await db.query(sql`update notifications.deliveries set next_at = clock_timestamp() where state = 'pending'`)
  await db.query(sql`update notifications.destinations set retry_at = clock_timestamp()`)
  await db.query(sql`select pg_notify('svc_notifications', '')`)
}

describe('a mail without an event', () => {
  it('NO-09 is sent with its button and without an unsubscribe link, and its text is deleted', async () => {
    await using server = await startMailServer()
    await queued(invitation())
    await using _worker = await startWorker(via(server))
    expect(await settled('sent')).toEqual({ state: 'sent', reason: null, attempt: 1, message: null })
    expect(server.received.map(({ to }) => to)).toEqual([['Mara@example.org']])
    const mail = await PostalMime.parse(server.received[0]!.message)
    expect(mail.subject).toBe('You are invited Bcc: everyone@example.org')
    expect(mail.bcc).toBeUndefined()
    expect(mail.text?.trimEnd()).toBe(
      [
        'You are invited Bcc: everyone@example.org',
        'Olu <b>invites</b> you.',
        'The invitation is valid for seven days.',
        `See the invitation: https://svc.example.com/invitations/${TOKEN}`,
      ].join('\n\n'),
    )
    expect(mail.html).toContain('Olu &lt;b&gt;invites&lt;/b&gt; you.')
    expect(mail.html).toContain(`href="https://svc.example.com/invitations/${TOKEN}"`)
    expect(mail.headers.filter(({ key }) => key.startsWith('list-'))).toEqual([])
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  })

  it('AU-21 one that signs its reader in is not put into the local mailbox, also if it waited there', async () => {
    await queued(invitation({ key: 'mailed-link:1', org_id: null, isSecret: true }))
    await queued(invitation())
    await using _worker = await startWorker('mailbox')
    await settled('sent')
    expect(await settled('failed')).toMatchObject({ reason: 'mail_not_configured', message: null })
    const rows = await db.query<{ org_id: string }>(sql`select org_id from notifications.mailbox`)
    expect(rows).toEqual([{ org_id: org }])
  })

  it('NO-07 is made once for each key, also after it was sent', async () => {
    await using server = await startMailServer()
    expect(await queued(invitation())).toBe(true)
    expect(await queued(invitation({ subject: 'again' }))).toBe(false)
    await using _worker = await startWorker(via(server))
    await settled('sent')
    expect(await queued(invitation())).toBe(false)
    expect(await queued(invitation({ key: 'invitation:inv_1:2' }))).toBe(true)
    await until(async () => (await deliveries()).every(({ state }) => state === 'sent'))
    expect(server.received).toHaveLength(2)
  })

  it('NO-07 belongs to the transaction that queues it', async () => {
    const rolledBack = db.tx(async (tx) => {
      await mails.queue(tx, invitation())
      throw new Error('the change failed')
    })
    await expect(rolledBack).rejects.toThrow('the change failed')
    expect(await deliveries()).toEqual([])
  })

  it('NO-09 is stored sealed while it waits, and kept for the retry', async () => {
    const answers = [451]
    await using server = await startMailServer({
      onRcptTo: (_, __, done) => {
        const code = answers.shift()
        done(code === undefined ? null : smtpRefusal(code, 'later'))
      },
    })
    await queued(invitation())
    await using _worker = await startWorker(via(server))
    const waiting = await until(async () => (await deliveries()).find(({ reason }) => reason === 'smtp_451'))
    expect(waiting.message).toMatch(/^v1\./)
    for (const secret of [TOKEN, 'Olu', 'example']) expect(waiting.message).not.toContain(secret)
    await retryNow()
    expect(await settled('sent')).toMatchObject({ attempt: 2, message: null })
    expect(server.received).toHaveLength(1)
  })

  it('NO-09 is not sent after it expired', async () => {
    await using server = await startMailServer()
    await queued(invitation({ expires_at: new Date(Date.now() - 1) }))
    await using _worker = await startWorker(via(server))
    expect(await settled('dropped')).toEqual({ state: 'dropped', reason: 'expired', attempt: 1, message: null })
    expect(server.connections).toBe(0)
  })

  it('NO-09 is not sent after it was cancelled', async () => {
    await using server = await startMailServer()
    await queued(invitation())
    await queued(invitation({ key: 'invitation:inv_2:1' }))
    await db.tx((tx) => mails.cancel(tx, 'invitation:inv_1:1', 'revoked'))
    await using _worker = await startWorker(via(server))
    await settled('sent')
    expect(await deliveries()).toEqual([
      { state: 'dropped', reason: 'revoked', attempt: 0, message: null },
      { state: 'sent', reason: null, attempt: 1, message: null },
    ])
    await db.tx((tx) => mails.cancel(tx, 'invitation:inv_2:1', 'revoked'))
    expect((await deliveries())[1]).toMatchObject({ state: 'sent' })
    expect(server.received).toHaveLength(1)
  })

  it('NO-12 without a mail server it fails in words, and its text is deleted', async () => {
    await queued(invitation())
    await using _worker = await startWorker(undefined)
    expect(await settled('failed')).toEqual({
      state: 'failed',
      reason: 'mail_not_configured',
      attempt: 1,
      message: null,
    })
  })

  it('NO-07 whose worker is lost is unknown, its text is deleted, and a late result cannot send it again', async () => {
    await using server = await startMailServer()
    await queued(invitation())
    const { deliveries: claimed } = await claimDeliveries(db, 'first', 1, 0)
    await reapLoop({ db }).tick(new Date(), new AbortController().signal)
    expect(await deliveries()).toEqual([{ state: 'unknown', reason: 'worker_lost', attempt: 1, message: null }])
    const late = { delivery: claimed[0]!, outcome: { type: 'retry', reason: 'smtp_451' } } as const
    await finishDeliveries(db, [late], () => 0.5)
    await retryNow()
    await using _worker = await startWorker(via(server))
    expect(await settled('failed')).toMatchObject({ reason: 'content_deleted', attempt: 2 })
    expect(server.connections).toBe(0)
  })
})

needs('postgres')('a mail that several transactions queue at once', () => {
  it('NO-07 is made once', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => queued(invitation())))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await deliveries()).toHaveLength(1)
  })
})
