import { createHash, generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { createSendMail } from '#lib/net/mail/mail.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { emit } from '#ports/emit.ts'
import type { People } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { exampleEvent } from '#test/deliveries/example-events.ts'
import { startExim } from '#test/outside/exim.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { createDeliveries } from '../../create-deliveries.ts'
import { addSubscription } from '../../subscriptions/store.ts'
import { insertChannel } from '../store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const dkim = {
  domain: 'example.com',
  selector: 'svc',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}
const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

type Row = { state: string; reason: string | null; channel: string }

needs('exim')('a mail that Exim takes or refuses', () => {
  const stack = new AsyncDisposableStack()
  let opened: TestDatabase
  let exim: Awaited<ReturnType<typeof startExim>>
  beforeAll(async () => {
    opened = stack.use(await openTestDatabase())
    exim = stack.use(await startExim())
    await startWorker()
  })
  afterAll(() => stack.disposeAsync())

  async function startWorker(): Promise<void> {
    const fail = (_: string, error: unknown) => expect.fail(String(error))
    const { db } = opened
    const { loops, slots } = createDeliveries({
      db,
      sealer,
      people,
      safeFetch: createSafeFetch(),
      clock: systemClock,
      mail: { from: { name: 'svc', address: 'svc@example.com' }, dkim, sendMail: createSendMail(exim.address) },
      baseUrl: () => 'https://svc.example.com',
      onError: (error) => fail('', error),
    })
    stack.use(await runSlots(slots, { db, uptime: () => performance.now(), onError: fail }))
    stack.use(await runLoops(loops, { db, clock: systemClock, onError: fail }))
  }

  /** Sends a mail about a failed deploy. Resolves when its first attempt is over. */
  async function sendTo(address: string): Promise<Row> {
    const org_id = newId('org')
    await opened.db.tx(async (tx) => {
      const channel = { org_id, kind: 'email', label: address, settings: { address } } as const
      const { id: channel_id } = await insertChannel(tx, sealer, channel)
      const added = { org_id, owner: 'organization', channel_id, pattern: 'deploy.*', timing: 'immediately' } as const
      await addSubscription(tx, sealer, added)
      await emit(tx, exampleEvent('deploy.failed', org_id))
    })
    return until(async () => {
      const [row] = await opened.db.query<Row>(sql`
        select delivery.state, reason, channel.state as channel from notifications.deliveries as delivery
        join notifications.channels as channel on channel.id = channel_id
        where delivery.org_id = ${org_id} and (reason is not null or delivery.state = 'sent')`)
      return row
    })
  }

  it('NO-09 arrives with a valid DKIM signature', async () => {
    expect(await sendTo('team@example.org')).toEqual({ state: 'sent', reason: null, channel: 'active' })
    const message = await until(() => exim.delivered()[0])
    const mail = await PostalMime.parse(message)
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    expect(header('received')).toContain('by mail.example.org with esmtp (Exim')
    expect(mail.subject).toBe('Deploy of Shop failed: BUILD_FAILED')
    expect(mail.to).toEqual([{ name: '', address: 'team@example.org' }])
    for (const part of [mail.text, mail.html]) expect(part).toContain('https://svc.example.com/apps/shop/deploys/dep_')
    expect(header('list-unsubscribe')).toMatch(/^<https:\/\/svc\.example\.com\/unsubscribe\/[\w-]+>$/)
    const { results } = await dkimVerify(message, { resolver: async () => [[`v=DKIM1; k=rsa; p=${published}`]] })
    expect(results.map(({ status }) => status.result)).toEqual(['pass'])
    expect(exim.delivered()).toHaveLength(1)
  })

  it.each<[string, string, Row]>([
    ['is tried again when greylisted', 'later', { state: 'pending', reason: 'smtp_451', channel: 'active' }],
    ['fails when unknown', 'unknown', { state: 'failed', reason: 'smtp_550', channel: 'active' }],
    ['disables a mailbox that is gone', 'left', { state: 'failed', reason: 'smtp_550', channel: 'disabled' }],
    ['fails when its message is refused', 'spam', { state: 'failed', reason: 'smtp_550', channel: 'active' }],
  ])('NO-07 %s', async (_, name, expected) => {
    expect(await sendTo(`${name}@example.org`)).toEqual(expected)
  })
})
