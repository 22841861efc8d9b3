import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lowestId, newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { newNotification } from '#test/deliveries/new-notification.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { finishDeliveries } from '../deliver/finish.ts'
import { presentLedgerRow } from '../ledger/present.ts'
import { listAttempts, pageLedger } from '../ledger/store.ts'
import type { NewNotification } from '../model/notification.ts'
import { addNotifications } from '../store/enqueue.ts'
import { createSystemMails } from '../system-mail/store.ts'
import { countParkable, parkDeliveries } from './park-store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const HOUR_MS = 60 * 60_000
let opened: TestDatabase
let db: Db

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  const tables = ['attempts', 'deliveries', 'notifications', 'destinations', 'events', 'restore_mark']
  for (const table of tables) await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

async function event(id = newId('evt')): Promise<string> {
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    values (${id}, ${org}, 'deploy.failed', '{}', clock_timestamp(), clock_timestamp(), clock_timestamp())`)
  return id
}
const notification = (event_id: string, over: Partial<NewNotification> = {}) =>
  newNotification({ event_id, org_id: org, ...over })
const add = async (over: Partial<NewNotification> = {}) => {
  const added = notification(await event(), over)
  await db.tx((tx) => addNotifications(tx, [added]))
}
const claim = async (limit = 10) => (await claimDeliveries(db, 'first', limit, 60)).deliveries
const ledger = async () => {
  const rows = await pageLedger(db, org, { filter: {}, before: null, limit: 100 })
  return rows.map((row) => {
    const { status, state, reason, delivery_id } = presentLedgerRow(row, 'https://svc.example.com')
    return { status, state, reason, hasMessage: delivery_id !== null }
  })
}
const PARKED = { status: 'not_sent', state: 'failed', reason: 'parked_after_restore', hasMessage: true }
const digest = (windowEnd: Date) => ({ key: 'subscription:1', timing: 'hourly' as const, windowEnd })
const later = (ms: number) => new Date(Date.now() + ms)

describe('NO-07 parking after a restore', () => {
  it('ends what waits for an attempt, was being sent, or is in no message yet, and sends none of it', async () => {
    await add()
    const [retried] = await claim()
    await finishDeliveries(db, [{ delivery: retried!, outcome: { type: 'retry', reason: 'http_503' } }], () => 0.5)
    await add({ destination_key: 'webhook:chn_2' })
    const [sending] = await claim()
    await add({ destination_key: 'webhook:chn_3' })
    await add({ destination_key: 'webhook:chn_4', digest: digest(later(-HOUR_MS)) })
    const parkable = { deliveries: 2, notifications: 2, events: 0 }
    expect(await countParkable(db)).toEqual(parkable)
    expect(await parkDeliveries(db, new Date())).toEqual(parkable)
    expect(await ledger()).toEqual([PARKED, PARKED, PARKED, PARKED])
    expect(await countParkable(db)).toEqual({ deliveries: 0, notifications: 0, events: 0 })
    expect(await claim()).toEqual([])
    expect((await claimDeliveries(db, 'retry', 10, 60)).deliveries).toEqual([])
    const destinations = await db.query(sql`
      select distinct first_at, retry_at from notifications.destinations`)
    expect(destinations).toEqual([{ first_at: null, retry_at: null }])
    expect(await listAttempts(db, retried!.id)).toMatchObject([{ outcome: 'retry', reason: 'http_503' }])
    expect(await listAttempts(db, sending!.id)).toMatchObject([
      { outcome: 'unknown', reason: 'parked_after_restore', ended_at: expect.any(Date) },
    ])
  })

  it('leaves messages that ended and digests that are not due', async () => {
    await add()
    const claimed = await claim()
    await finishDeliveries(db, [{ delivery: claimed[0]!, outcome: { type: 'sent' } }], () => 0.5)
    await add({ destination_key: 'webhook:chn_2', digest: digest(later(HOUR_MS)) })
    await parkDeliveries(db, new Date())
    expect(await ledger()).toMatchObject([{ status: 'pending' }, { status: 'delivered' }])
  })

  it('parks what follows from events of the backup that are matched later, and nothing of newer ones', async () => {
    const old = await event()
    const restoredAt = later(60_000)
    await parkDeliveries(db, restoredAt)
    const newer = await event(`${lowestId('evt', later(120_000)).slice(0, -1)}1`)
    const digested = notification(old, { destination_key: 'webhook:chn_2', digest: digest(later(HOUR_MS)) })
    await db.tx((tx) => addNotifications(tx, [notification(old), digested, notification(newer)]))
    expect((await ledger()).filter(({ reason }) => reason !== null)).toEqual([PARKED, PARKED])
    const claimed = await claim()
    expect(claimed).toHaveLength(1)
    const sent = await db.query(
      sql`select event_id from notifications.notifications where delivery_id = ${claimed[0]!.id}`,
    )
    expect(sent).toEqual([{ event_id: newer }])
  })

  it('deletes the text of mails without an event', async () => {
    await db.tx((tx) =>
      createSystemMails({ sealer }).queue(tx, {
        key: 'invitation:inv_1:1',
        org_id: org,
        to: 'mara@example.org',
        subject: 's',
        paragraphs: [],
        action: null,
        expires_at: null,
      }),
    )
    await parkDeliveries(db, new Date())
    const rows = await db.query(sql`select state, reason, message from notifications.deliveries`)
    expect(rows).toEqual([{ state: 'unknown', reason: 'parked_after_restore', message: null }])
  })

  it('parks more than one transaction takes', async () => {
    await db.query(sql`
      insert into notifications.deliveries (id, org_id, destination_key, kind, state, next_at, created_at)
      select 'dlv_' || n, ${org}, 'webhook:' || n % 7, 'webhook', 'pending', clock_timestamp(), clock_timestamp()
      from generate_series(1, 403) as n`)
    const eventId = await event()
    await db.query(sql`
      insert into notifications.notifications (id, event_id, org_id, destination_key, kind, created_at)
      select 'ntf_' || n, ${eventId}, ${org}, 'webhook:x' || n, 'webhook', clock_timestamp()
      from generate_series(1, 403) as n`)
    expect(await parkDeliveries(db, new Date())).toEqual({ deliveries: 403, notifications: 403, events: 0 })
    const rows = await db.query(sql`select distinct state, reason from notifications.deliveries`)
    expect(rows).toEqual([{ state: 'unknown', reason: 'parked_after_restore' }])
  })
})
