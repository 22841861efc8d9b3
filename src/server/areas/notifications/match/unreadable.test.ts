import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lowestId, newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { presentLedgerRow } from '../ledger/present.ts'
import { pageLedger } from '../ledger/store.ts'
import { retentionLoop } from '../retention/loop.ts'
import { matchLoop } from './match-loop.ts'
import type { UnreadableEvent } from './unreadable-store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const org = newId('org')
const never = new AbortController().signal
const onError = (error: unknown) => expect(error).toBeUndefined()
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const READABLE = {
  status: 'BUILD_FAILED',
  actor_id: null,
  app: { id: newId('app'), alias: 'shop', name: 'Shop' },
  deployment_id: newId('dep'),
}
let opened: TestDatabase
let db: Db
let reported: UnreadableEvent[]

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  reported = []
  for (const table of ['notifications', 'events'])
    await db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
})

const store = async (type: string, body: object = READABLE, at?: Date) => {
  const id = at ? `${lowestId('evt', at).slice(0, -1)}1` : newId('evt')
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at)
    values (${id}, ${org}, ${type}, ${JSON.stringify(body)}, clock_timestamp(), clock_timestamp())`)
  return id
}
const newLoop = () => matchLoop({ db, sealer, onError, onUnreadable: (events) => reported.push(...events) })
const ledger = async () => {
  const rows = await pageLedger(db, org, { filter: {}, before: null, limit: 100 })
  return rows.map((row) => {
    const { event, status, state, reason, destination } = presentLedgerRow(row, 'https://svc.example.com')
    return { id: event.id, type: event.type, status, state, reason, destination }
  })
}
/** Does what a newer release that knows the type would: here the event becomes one that this release can read. */
const upgrade = (id: string) =>
  db.query(sql`
    update notifications.events set type = 'deploy.failed', body = ${JSON.stringify(READABLE)} where id = ${id}`)

describe('NO-12 an event that only a newer release can read', () => {
  it('waits in the ledger, is reported once, and holds up no other', async () => {
    const newer = await store('deploy.rolled_back')
    const changed = await store('deploy.failed', { status: 1 })
    const readable = await store('deploy.failed')
    const loop = newLoop()
    const now = new Date()
    await loop.tick(now, never)
    await loop.tick(new Date(now.getTime() + 60 * MINUTE_MS), never)
    await newLoop().tick(now, never)
    expect(reported.map(({ id }) => id)).toEqual([newer, changed])
    const waiting = { status: 'pending', state: 'pending', reason: 'unreadable', destination: null }
    const entries = await ledger()
    expect(entries.filter(({ id }) => id === newer)).toEqual([{ id: newer, type: 'deploy.rolled_back', ...waiting }])
    expect(entries.filter(({ id }) => id === changed)).toEqual([{ id: changed, type: 'deploy.failed', ...waiting }])
    const [row] = await db.query(
      sql`select matched_at is not null as matched from notifications.events where id = ${readable}`,
    )
    expect(row).toEqual({ matched: true })
  })

  it('is matched by the first turn of a release that can read it, and within ten minutes by a running one', async () => {
    const [first, second] = [await store('org.renamed'), await store('org.renamed')]
    const running = newLoop()
    const now = new Date()
    await running.tick(now, never)
    expect(await ledger()).toHaveLength(2)
    const matched = async () =>
      (await db.query<{ id: string }>(sql`select id from notifications.events where matched_at is not null`)).map(
        ({ id }) => id,
      )
    await upgrade(first)
    await newLoop().tick(now, never)
    expect(await matched()).toEqual([first])
    await upgrade(second)
    await running.tick(new Date(now.getTime() + 9 * MINUTE_MS), never)
    expect(await matched()).toEqual([first])
    await running.tick(new Date(now.getTime() + 10 * MINUTE_MS), never)
    expect((await matched()).sort()).toEqual([first, second].sort())
    expect((await ledger()).filter(({ reason }) => reason === 'unreadable')).toEqual([])
  })

  it('ends as dropped when it is older than the ledger', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
    const [young, old] = [
      await store('deploy.rolled_back', {}, daysAgo(89)),
      await store('deploy.rolled_back', {}, daysAgo(91)),
    ]
    await newLoop().tick(new Date(), never)
    await retentionLoop({ db }).tick(new Date(), never)
    const byAge = async () => (await ledger()).sort((a, b) => (a.id < b.id ? -1 : 1))
    const expected = [
      { id: old, status: 'not_sent', state: 'dropped', reason: 'unreadable' },
      { id: young, status: 'pending', state: 'pending', reason: 'unreadable' },
    ]
    expect(await byAge()).toMatchObject(expected)
    await newLoop().tick(new Date(), never)
    expect(await byAge()).toMatchObject(expected)
  })
})

needs('postgres')('two releases at once', () => {
  it('NO-12 leave no entry of an event that one of them matched', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await store('deploy.rolled_back')
      await newLoop().tick(new Date(), never)
      await upgrade(id)
      await Promise.all([newLoop(), newLoop(), newLoop()].map((loop) => loop.tick(new Date(), never)))
    }
    expect((await ledger()).filter(({ reason }) => reason === 'unreadable')).toEqual([])
    expect(await db.query(sql`select id from notifications.events where matched_at is null`)).toEqual([])
  })
})
