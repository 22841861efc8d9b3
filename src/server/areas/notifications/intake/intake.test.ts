import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { runLoops } from '#lib/work/loop.ts'
import { writeEvent } from '#lib/work/outbox.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { insertChannel } from '../channels/store.ts'
import { addSubscription } from '../subscriptions/store.ts'
import { intakeLoop } from './intake.ts'

const now = new Date('2026-02-03T04:05:06.789Z')
const sealer = createSealer(['ab'.repeat(32)])
const SHOP = { id: newId('app'), alias: 'shop', name: 'Shop' }
const never = new AbortController().signal
let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
beforeEach(() => db.query(sql`delete from svc.outbox`))
beforeEach(() => db.query(sql`delete from notifications.events`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const event = (n: number) => ({ type: 'deploy.failed', org_id: 'org_1', occurred_at: now, body: { n } })
const deps = () => ({ db, sealer, onError: (error: unknown) => expect(error).toBeUndefined() })
const write = (n: number) => db.tx((tx) => writeEvent(tx, event(n)))
const writeMany = (count: number) =>
  db.query(sql`
    insert into svc.outbox (id, org_id, type, body, occurred_at)
    select 'evt_' || lpad(n::text, 6, '0'), 'org_1', 'deploy.failed', '{}', ${now}::timestamptz
    from generate_series(1, ${count}::int) as n`)
const received = () =>
  db.query<{ id: string }>(
    sql`select id, type, org_id, occurred_at, body, received_at from notifications.events order by id`,
  )
const left = async () => (await db.query(sql`select id from svc.outbox`)).length
const tick = (signal = never) => intakeLoop(deps()).tick(now, signal)

describe('NO-01 intake of events', () => {
  it('moves every event from the outbox as it was written', async () => {
    const ids = [await write(1), await write(2)]
    await tick()
    expect(await received()).toEqual([
      { id: ids[0], ...event(1), received_at: now },
      { id: ids[1], ...event(2), received_at: now },
    ])
    expect(await left()).toBe(0)
  })

  it('empties an outbox that holds more than one transaction takes', async () => {
    await writeMany(1_203)
    await tick()
    expect(await received()).toHaveLength(1_203)
    expect(await left()).toBe(0)
  })

  it('looks again within a minute without being woken', async () => {
    expect(await tick()).toEqual(new Date(now.getTime() + 60_000))
  })

  it('looks again soon after it found some, because another process may have died that held others', async () => {
    await write(1)
    expect(await tick()).toEqual(new Date(now.getTime() + 5_000))
  })

  it('moves nothing after it was aborted, and loses nothing', async () => {
    await write(1)
    await tick(AbortSignal.abort())
    expect([await received(), await left()]).toEqual([[], 1])
  })

  it('stores an event once though it comes twice, as after a restore of the outbox', async () => {
    const id = await write(1)
    await tick()
    await db.query(sql`insert into svc.outbox (id, org_id, type, body, occurred_at)
      values (${id}, 'org_1', 'deploy.failed', '{"n": 2}', ${now})`)
    await tick()
    expect(await received()).toEqual([{ id, ...event(1), received_at: now }])
    expect(await left()).toBe(0)
  })

  it('takes in an event of a type that only a newer release knows', async () => {
    await db.tx((tx) => writeEvent(tx, { ...event(1), type: 'deploy.paused' }))
    await tick()
    expect(await received()).toMatchObject([{ type: 'deploy.paused' }])
  })

  it('runs as soon as a change that emits is committed', async () => {
    const clock = testClock(now)
    await using _loops = await runLoops([intakeLoop(deps())], {
      db,
      clock,
      onError: (_, error) => expect(error).toBeUndefined(),
    })
    const id = await write(1)
    expect((await until(async () => (await received())[0])).id).toBe(id)
  })
})

needs('postgres')('NO-01 intake by several processes and through crashes', () => {
  it('stores each event once though eight run at once', async () => {
    await writeMany(4_000)
    await Promise.all(Array.from({ length: 8 }, () => tick()))
    expect(await received()).toHaveLength(4_000)
    expect(await left()).toBe(0)
  })

  it('makes the notifications of each event once though eight run at once, for four channels and for nobody', async () => {
    const [followed, unfollowed] = [newId('org'), newId('org')]
    await db.tx(async (tx) => {
      for (let i = 0; i < 4; i++) {
        const channel = { org_id: followed, kind: 'webhook', label: `hook ${i}`, settings: {} } as const
        const { id: channel_id } = await insertChannel(tx, sealer, {
          ...channel,
          secret: `https://hooks.example.com/${i}`,
        })
        const subscription = { org_id: followed, owner: 'organization', channel_id, timing: 'immediately' } as const
        await addSubscription(tx, sealer, { ...subscription, pattern: 'deploy.failed' })
      }
    })
    const body = { status: 'BUILD_FAILED', actor_id: null, app: SHOP, deployment_id: newId('dep') }
    await db.query(sql`
      insert into svc.outbox (id, org_id, type, body, occurred_at)
      select 'evt_' || lpad(n::text, 6, '0'), case n % 2 when 0 then ${followed} else ${unfollowed} end,
        'deploy.failed', ${JSON.stringify(body)}, ${now}::timestamptz
      from generate_series(1, 2000) as n`)
    await Promise.all(Array.from({ length: 8 }, () => tick()))
    const added = await db.query(sql`
      select org_id = ${followed} as is_followed, kind, dropped_reason, count(*)::int, count(distinct event_id)::int as events
      from notifications.notifications where org_id in (${followed}, ${unfollowed}) group by 1, 2, 3 order by 1`)
    expect(added).toEqual([
      { is_followed: false, kind: 'none', dropped_reason: 'no_subscription', count: 1_000, events: 1_000 },
      { is_followed: true, kind: 'webhook', dropped_reason: null, count: 4_000, events: 1_000 },
    ])
    expect(await left()).toBe(0)
  })

  it('loses nothing and repeats nothing when its connection is killed before the commit', async () => {
    const id = await write(1)
    // The lock keeps intake between taking the events out of the outbox and storing them.
    const locked = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const lock = db.tx(async (tx) => {
      await tx.query(sql`lock table notifications.events in access exclusive mode`)
      locked.resolve()
      await mayEnd.promise
    })
    await locked.promise
    const killed = tick().then(
      () => 'stored',
      () => 'failed',
    )
    await until(() => killWaiting())
    // The second time it only stores the events, without matching them.
    await until(() => killWaiting())
    mayEnd.resolve()
    await lock
    expect(await killed).toBe('failed')
    expect([await received(), await left()]).toEqual([[], 1])
    await tick()
    expect((await received()).map((row) => row.id)).toEqual([id])
    expect(await left()).toBe(0)
  })

  /** Ends the connection that waits to store events; true once there was one. */
  async function killWaiting(): Promise<boolean> {
    const ended = await db.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into notifications.events%'
        and pid <> pg_backend_pid()`)
    return ended.length > 0
  }
})
