import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { saveTimezone } from '../settings/store.ts'
import { addNotifications } from '../store/enqueue.ts'
import { digestLoop } from './close.ts'

const TEN = new Date('2026-05-01T10:00:00Z')
const ELEVEN = new Date('2026-05-01T11:00:00Z')
const NOON = new Date('2026-05-01T12:00:00Z')
const never = new AbortController().signal
let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
beforeEach(() => db.query(sql`delete from notifications.notifications`))
beforeEach(() => db.query(sql`delete from notifications.deliveries`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const add = (event: string, windowEnd: Date, key = 'subscription:sub_1') =>
  db.tx((tx) =>
    addNotifications(tx, [
      {
        event_id: event,
        org_id: 'org_1',
        destination_key: `chat:${key}`,
        kind: 'chat',
        channel_id: 'chn_1',
        user_id: null,
        subscription_id: 'sub_1',
        app_id: null,
        digest: { key, timing: 'hourly', windowEnd },
        dropped_reason: null,
        per_message: 1,
      },
    ]),
  )
const faults: string[] = []
const onError = (error: unknown) => faults.push((error as Error).message)
const close = (now: Date) => digestLoop({ db, onError }).tick(now, never)
const digests = () =>
  db.query<{ window_end: Date; events: string[] }>(sql`
    select delivery.window_end, array_agg(event_id order by event_id) as events
    from notifications.deliveries as delivery
    join notifications.notifications as notification on delivery_id = delivery.id
    group by delivery.id order by 1`)

describe('NO-14 digests', () => {
  it('put all notifications of a window into one delivery, when the window ended', async () => {
    await add('evt_1', TEN)
    await add('evt_2', TEN)
    await add('evt_3', ELEVEN)
    await close(new Date('2026-05-01T09:59:59Z'))
    expect(await digests()).toEqual([])
    await close(TEN)
    expect(await digests()).toEqual([{ window_end: TEN, events: ['evt_1', 'evt_2'] }])
    const { deliveries } = await claimDeliveries(db, 'first', 10, 60)
    expect(deliveries).toMatchObject([{ kind: 'chat', channel_id: 'chn_1', attempt: 1 }])
  })

  it('repeat nothing when the loop runs again', async () => {
    await add('evt_1', TEN)
    await close(TEN)
    await close(TEN)
    expect(await digests()).toHaveLength(1)
  })

  it('lose nothing that is stored after its window was closed: it goes into the next one', async () => {
    await add('evt_1', TEN)
    await close(TEN)
    await add('evt_2', TEN)
    await close(new Date('2026-05-01T10:00:30Z'))
    expect(await digests()).toHaveLength(1)
    await close(ELEVEN)
    expect(await digests()).toEqual([
      { window_end: TEN, events: ['evt_1'] },
      { window_end: ELEVEN, events: ['evt_2'] },
    ])
  })

  it('after a long stop send each window that was missed', async () => {
    await add('evt_1', TEN)
    await add('evt_2', ELEVEN)
    await close(new Date('2026-05-03T00:00:00Z'))
    expect(await digests()).toHaveLength(2)
  })

  it('are sent though that of another organization, whose timezone this release does not know, cannot be', async () => {
    await add('evt_1', TEN, 'subscription:sub_1')
    await close(TEN)
    await db.tx((tx) => saveTimezone(tx, 'org_1', 'Mars/Olympus_Mons'))
    // Late, so that it needs the next window.
    await add('evt_2', TEN, 'subscription:sub_1')
    await add('evt_3', ELEVEN, 'subscription:sub_2')
    await close(ELEVEN)
    expect(faults).toEqual(['digest subscription:sub_1 failed and is tried again'])
    expect((await digests()).map(({ events }) => events)).toEqual([['evt_1'], ['evt_3']])
    await db.tx((tx) => saveTimezone(tx, 'org_1', 'UTC'))
    for (const now of [ELEVEN, NOON]) await close(now)
    expect((await digests()).map(({ events }) => events)).toEqual([['evt_1'], ['evt_3'], ['evt_2']])
  })

  it('of different subscriptions stay apart', async () => {
    await add('evt_1', TEN, 'subscription:sub_1')
    await add('evt_1', TEN, 'subscription:sub_2')
    await close(TEN)
    expect(await digests()).toHaveLength(2)
  })
})

needs('postgres')('NO-14 digests closed by several workers', () => {
  it('are made once each, with nothing left out, while notifications are being stored', async () => {
    const added = Array.from({ length: 60 }, (_, i) => `evt_${String(i).padStart(2, '0')}`)
    const closing = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 10; i++) await close(TEN)
    })
    await Promise.all([...closing, ...added.map((event) => add(event, TEN, `subscription:sub_${event.slice(-1)}`))])
    await close(TEN)
    for (const hour of [11, 12, 13]) await close(new Date(Date.UTC(2026, 4, 1, hour)))
    const sent = (await digests()).flatMap(({ events }) => events)
    expect(sent.sort()).toEqual(added)
  })
})
