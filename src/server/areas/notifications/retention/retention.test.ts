import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { newNotification } from '#test/deliveries/new-notification.ts'
import { needs } from '#test/stores.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { addNotifications } from '../store/enqueue.ts'
import { retentionLoop } from './loop.ts'
import { deleteDeliveries, deleteEvents, deleteNotifications } from './store.ts'

const NOW = new Date('2026-06-30T12:00:00Z')
const DAY_MS = 24 * 60 * 60_000
const never = new AbortController().signal
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
const TABLES = ['attempts', 'deliveries', 'notifications', 'destinations', 'events', 'inbox', 'mailbox']
let opened: TestDatabase
let db: Db

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const table of TABLES) await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const tick = () => retentionLoop({ db }).tick(NOW, never)
type Old = { days: number; matched?: boolean; peoplePending?: boolean }
/** Ids with a given time. Those of one test differ by their number, because `newId` never goes back in time. */
let idCount = 0
function idAt(prefix: 'evt' | 'ntf' | 'dlv', at: Date): string {
  idCount += 1
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  let rest = at.getTime()
  let text = ''
  for (let n = 0; n < 10; n++, rest = Math.floor(rest / 32)) text = digits[rest % 32]! + text
  return `${prefix}_${text}${String(idCount).padStart(16, '0')}`
}
async function event({ days, matched = true, peoplePending = false }: Old): Promise<string> {
  const id = idAt('evt', daysAgo(days))
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at, people_pending)
    values (${id}, 'org_1', 'deploy.failed', '{}', ${daysAgo(days)}, ${daysAgo(days)},
      ${matched ? daysAgo(days) : null}, ${peoplePending})`)
  return id
}
type Sent = { days: number; state: string | null; dropped?: string; windowEnd?: Date; endedDays?: number }
/** A notification with its event, and with a message in this state unless it is in none. */
async function notification({ days, state, dropped, windowEnd, endedDays = days }: Sent) {
  const eventId = await event({ days })
  const deliveryId = state === null ? null : await delivery({ days, state, endedDays })
  const id = idAt('ntf', daysAgo(days))
  await db.query(sql`
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, delivery_id, dropped_reason,
      digest_key, digest_timing, window_end, created_at)
    values (${id}, ${eventId}, 'org_1', 'webhook:chn_1', 'webhook', ${deliveryId}, ${dropped ?? null},
      ${windowEnd ? 'subscription:1' : null}, ${windowEnd ? 'daily' : null}, ${windowEnd ?? null}, ${daysAgo(days)})`)
  return { id, eventId, deliveryId: deliveryId ?? '' }
}
async function delivery({
  days,
  state,
  endedDays = days,
  resendOf,
}: {
  days: number
  state: string
  endedDays?: number
  resendOf?: string
}): Promise<string> {
  const id = idAt('dlv', daysAgo(days))
  const isEnded = !['pending', 'sending'].includes(state)
  await db.query(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, state, resend_of, created_at, ended_at)
    values (${id}, 'org_1', 'webhook:chn_1', 'webhook', ${state}, ${resendOf ?? null}, ${daysAgo(days)},
      ${isEnded ? daysAgo(endedDays) : null})`)
  await db.query(sql`
    insert into notifications.attempts (delivery_id, attempt, fence, started_at)
    values (${id}, 1, 1, ${daysAgo(days)})`)
  return id
}
async function left() {
  const counts = await Promise.all(
    ['events', 'notifications', 'deliveries', 'attempts'].map(async (table) => {
      const text = `select count(*)::int as count from notifications.${table}`
      return [table, (await db.query<{ count: number }>({ text, values: [], name: '' }))[0]!.count] as const
    }),
  )
  return Object.fromEntries(counts)
}

describe('NO-12 retention of the ledger', () => {
  it.each(['sent', 'failed', 'unknown', 'dropped'])('deletes what ended as %s more than 90 days ago', async (state) => {
    await notification({ days: 91, state })
    await notification({ days: 89, state })
    expect(await tick()).toEqual(new Date(NOW.getTime() + 60 * 60_000))
    expect(await left()).toEqual({ events: 1, notifications: 1, deliveries: 1, attempts: 1 })
  })

  it('deletes notifications that were dropped, with their events', async () => {
    await notification({ days: 91, state: null, dropped: 'no_subscription' })
    await tick()
    expect(await left()).toEqual({ events: 0, notifications: 0, deliveries: 0, attempts: 0 })
  })

  it.each(['pending', 'sending'])('keeps a message that is %s, however old it is', async (state) => {
    await notification({ days: 400, state })
    await tick()
    expect(await left()).toEqual({ events: 1, notifications: 1, deliveries: 1, attempts: 1 })
  })

  it('keeps notifications that wait for a message or for the end of a digest window', async () => {
    await notification({ days: 400, state: null })
    await notification({ days: 400, state: null, windowEnd: new Date(NOW.getTime() + DAY_MS) })
    await tick()
    expect(await left()).toEqual({ events: 2, notifications: 2, deliveries: 0, attempts: 0 })
  })

  it('keeps an old message that ended lately', async () => {
    await notification({ days: 100, state: 'sent', endedDays: 2 })
    await tick()
    expect(await left()).toEqual({ events: 1, notifications: 1, deliveries: 1, attempts: 1 })
  })

  it('keeps events that were not matched to subscriptions or to people yet', async () => {
    const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
    const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') }
    await event({ days: 400, matched: false })
    await event({ days: 400, peoplePending: true })
    await db.query(sql`update notifications.events set body = ${JSON.stringify(body)}`)
    await tick()
    expect(await left()).toMatchObject({ events: 2, notifications: 0 })
  })

  it('keeps a message while a resend of it is under way, and both while the resend is young', async () => {
    const { deliveryId } = await notification({ days: 400, state: 'failed' })
    const resend = await delivery({ days: 400, state: 'pending', resendOf: deliveryId })
    await tick()
    expect(await left()).toEqual({ events: 1, notifications: 1, deliveries: 2, attempts: 2 })
    await db.query(sql`
      update notifications.deliveries set state = 'sent', ended_at = ${daysAgo(2)} where id = ${resend}`)
    await tick()
    expect(await left()).toMatchObject({ deliveries: 2, attempts: 2 })
    await db.query(sql`update notifications.deliveries set ended_at = ${daysAgo(91)} where id = ${resend}`)
    await tick()
    await tick()
    expect(await left()).toEqual({ events: 0, notifications: 0, deliveries: 0, attempts: 0 })
  })

  it('deletes more rows than one statement takes, and follows its setting', async () => {
    await db.query(sql`
      insert into notifications.deliveries (id, org_id, destination_key, kind, state, created_at, ended_at)
      select ${idAt('dlv', daysAgo(10))} || n, 'org_1', 'email:a', 'email', 'sent', ${daysAgo(10)}, ${daysAgo(10)}
      from generate_series(1, 1203) as n`)
    await tick()
    expect(await left()).toMatchObject({ deliveries: 1203 })
    await retentionLoop({ db, keepDays: { ledger: 9, inbox: 9 } }).tick(NOW, never)
    expect(await left()).toMatchObject({ deliveries: 0 })
  })

  it('deletes inbox entries after 180 days, read or not, and mails of the local mailbox after 90', async () => {
    for (const days of [181, 179]) {
      await db.query(sql`
        insert into notifications.inbox (id, event_id, user_id, org_id, event_type, subject, occurred_at, link)
        values (${idAt('ntf', daysAgo(days))}, ${`evt_${days}`}, 'usr_1', 'org_1', 'deploy.failed', 'Deploy failed',
          ${daysAgo(days)}, '/')`)
    }
    for (const days of [91, 89]) {
      await db.query(sql`
        insert into notifications.mailbox (delivery_id, org_id, recipient, subject, body, kept_at)
        values (${`dlv_${days}`}, 'org_1', 'a@example.org', 's', 'b', ${daysAgo(days)})`)
    }
    await tick()
    expect(await db.query(sql`select event_id from notifications.inbox`)).toEqual([{ event_id: 'evt_179' }])
    expect(await db.query(sql`select delivery_id from notifications.mailbox`)).toEqual([{ delivery_id: 'dlv_89' }])
  })
})

/** Adds messages with their notification and event, all of one age. */
async function addMany(count: number, days: number, state: string): Promise<void> {
  const at = daysAgo(days)
  const [evt, ntf, dlv] = [idAt('evt', at), idAt('ntf', at), idAt('dlv', at)]
  const endedAt = state === 'pending' ? null : at
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    select ${evt} || n, 'org_1', 'deploy.failed', '{}', ${at}, ${at}, ${at}
    from generate_series(1, ${count}::int) n`)
  await db.query(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, state, created_at, ended_at)
    select ${dlv} || n, 'org_1', 'webhook:chn_1', 'webhook', ${state}, ${at}, ${endedAt}
    from generate_series(1, ${count}::int) n`)
  await db.query(sql`
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, delivery_id, created_at)
    select ${ntf} || n, ${evt} || n, 'org_1', 'webhook:chn_1', 'webhook', ${dlv} || n, ${at}
    from generate_series(1, ${count}::int) n`)
}

describe('NO-12 retention of a large ledger', () => {
  it('deletes what is behind more rows than one statement looks at and that have to stay', async () => {
    await addMany(1_100, 200, 'pending')
    await addMany(30, 100, 'sent')
    await tick()
    expect(await left()).toMatchObject({ events: 1_100, notifications: 1_100, deliveries: 1_100 })
  })

  it('looks up what belongs to an old row, and reads no whole table for it', async () => {
    await addMany(3_000, 100, 'sent')
    await addMany(3_000, 10, 'sent')
    await db.query(sql`analyze notifications.deliveries, notifications.notifications, notifications.events`)
    const step = { before: daysAgo(90), after: '', limit: 500 }
    const plans = {
      notifications: await planOf((reader) => deleteNotifications(reader, step)),
      deliveries: await planOf((reader) => deleteDeliveries(reader, step)),
      events: await planOf((reader) => deleteEvents(reader, step)),
    }
    expect(plans.notifications).toContain('deliveries_pkey on deliveries')
    expect(plans.notifications).not.toContain('Seq Scan on deliveries')
    expect(plans.deliveries).toContain('notifications_by_delivery on notifications')
    expect(plans.deliveries).not.toContain('Seq Scan on notifications')
    expect(plans.events).toContain('notifications_event_id_destination_key_key on notifications')
    expect(plans.events).not.toContain('Seq Scan on notifications')
  })
})

async function planOf(run: (reader: Querier) => Promise<unknown>): Promise<string> {
  const lines: string[] = []
  await run({
    query: async (statement) => {
      const rows = await db.query<{ 'QUERY PLAN': string }>(sql`explain (costs off) ${statement}`)
      lines.push(...rows.map((row) => row['QUERY PLAN']))
      return [{ looked_at: 0, last: null } as never]
    },
  })
  return lines.join('\n')
}

needs('postgres')('retention beside other transactions', () => {
  it('NO-07 waits for nobody: rows that are locked are left for the next time', async () => {
    const held = await notification({ days: 91, state: 'unknown' })
    await notification({ days: 91, state: 'sent' })
    const lock = (tx: Tx) => tx.query(sql`select from notifications.notifications where id = ${held.id} for update`)
    await whileHeld(lock, tick)
    expect(await left()).toMatchObject({ notifications: 1 })
    await tick()
    expect(await left()).toMatchObject({ notifications: 0 })
  })

  it('NO-07 a claim goes on while a deletion holds its rows', async () => {
    await notification({ days: 91, state: 'sent' })
    await db.tx((tx) => addNotifications(tx, [newNotification()]))
    const lock = async (tx: Tx) => {
      await tx.query(sql`delete from notifications.notifications where created_at < ${daysAgo(90)}`)
      await tx.query(sql`delete from notifications.deliveries where created_at < ${daysAgo(90)}`)
    }
    const claimed = await whileHeld(lock, async () => (await claimDeliveries(db, 'first', 10, 60)).deliveries)
    expect(claimed).toHaveLength(1)
  })
})

/** Runs something on other connections while a transaction holds its locks. */
async function whileHeld<T>(lock: (tx: Tx) => Promise<unknown>, run: () => Promise<T>): Promise<T> {
  const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.tx(async (tx) => {
    await lock(tx)
    held.resolve()
    await done.promise
  })
  await held.promise
  try {
    return await run()
  } finally {
    done.resolve()
    await holding
  }
}
