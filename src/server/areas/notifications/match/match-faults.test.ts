import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { knownPeople, type People } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { insertChannel } from '../channels/store.ts'
import { saveFollow } from '../follows/store.ts'
import { intakeLoop } from '../intake/intake.ts'
import { presentLedgerRow } from '../ledger/present.ts'
import { pageLedger } from '../ledger/store.ts'
import { saveTimezone } from '../settings/store.ts'
import { addSubscription } from '../subscriptions/store.ts'
import { matchLoop } from './match-loop.ts'
import { peopleLoop } from './people-loop.ts'

const sealer = createSealer(['ab'.repeat(32)])
const never = new AbortController().signal
const SHOP = { id: newId('app'), alias: 'shop', name: 'Shop' }
const USER = newId('usr')
const people: People = {
  ownersAndAdmins: async () => knownPeople([]),
  member: async () => knownPeople({ user_id: USER, email: 'ada@example.com', display_name: 'Ada', role: 'member' }),
  memberByEmail: async () => knownPeople(undefined),
  displayNames: async () => knownPeople(new Map()),
  organization: async () => knownPeople({ name: 'Acme', slug: 'acme' }),
  partHolders: async () => knownPeople([{ user_id: USER, part: 'builder' }]),
}
let opened: TestDatabase
let db: Db
let broken: string
let sound: string
let faults: string[]
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  ;[broken, sound] = [newId('org'), newId('org')]
  faults = []
  // A release with other data of timezones saved it, so that this one cannot tell when a digest is due.
  await db.tx((tx) => saveTimezone(tx, broken, 'Mars/Olympus_Mons'))
})

const deps = () => ({ db, sealer, people, onError: (error: unknown) => faults.push((error as Error).message) })
const intake = () => intakeLoop(deps()).tick(new Date(), never)
const match = () => matchLoop(deps()).tick(new Date(), never)
const matchPeople = () => peopleLoop(deps()).tick(new Date(), never)
const subscribeDaily = (org_id: string) =>
  db.tx(async (tx) => {
    const channel = {
      org_id,
      kind: 'webhook',
      label: 'hook',
      settings: {},
      secret: 'https://hooks.example.com/1',
    } as const
    const { id: channel_id } = await insertChannel(tx, sealer, channel)
    const subscription = { org_id, owner: 'organization', channel_id, timing: 'daily' } as const
    await addSubscription(tx, sealer, { ...subscription, pattern: 'deploy.failed' })
  })
const followDaily = (org_id: string) =>
  saveFollow(
    db,
    { org_id, user_id: USER },
    { app_id: SHOP.id, categories: ['failed_deploys'], timing: 'daily', via: 'chat' },
    new Date(),
  )
const fail = (org_id: string) => {
  const body = { status: 'BUILD_FAILED', actor_id: null, app: SHOP, deployment_id: newId('dep') } as const
  return db.tx((tx) => emit(tx, { type: 'deploy.failed', org_id, occurred_at: new Date(), body }))
}
const ledger = async (org: string) => {
  const rows = await pageLedger(db, org, { filter: {}, before: null, limit: 100 })
  return rows
    .map((row) => presentLedgerRow(row, 'https://svc.example.com'))
    .map(({ status, reason }) => ({ status, reason }))
}
const WAITS = { status: 'pending', reason: null }

describe('NO-01 an event that cannot be matched', () => {
  it('leaves the outbox, holds up no other organization, is reported, and is matched once its fault is mended', async () => {
    await subscribeDaily(broken)
    await subscribeDaily(sound)
    await fail(broken)
    await fail(sound)
    await intake()
    expect(await db.query(sql`select id from svc.outbox`)).toEqual([])
    await match()
    expect([await ledger(broken), await ledger(sound)]).toEqual([[], [WAITS]])
    expect(faults.at(-1)).toMatch(/^matching event evt_\w+ failed and is tried again$/)
    await db.tx((tx) => saveTimezone(tx, broken, 'Europe/Oslo'))
    await match()
    await match()
    expect([await ledger(broken), await ledger(sound)]).toEqual([[WAITS], [WAITS]])
  })

  it('to a person who follows its app holds up no other either', async () => {
    await followDaily(broken)
    await followDaily(sound)
    await fail(broken)
    await fail(sound)
    await intake()
    await matchPeople()
    expect([await ledger(broken), await ledger(sound)]).toEqual([[], [WAITS]])
    expect(faults).toEqual([expect.stringMatching(/^matching people to event evt_\w+ failed/)])
    await db.tx((tx) => saveTimezone(tx, broken, 'Europe/Oslo'))
    await matchPeople()
    expect([await ledger(broken), await ledger(sound)]).toEqual([[WAITS], [WAITS]])
  })
})

describe('NO-01 an event that cannot be matched for long', () => {
  it('is reported once, tried after a minute and then ever more seldom', async () => {
    await followDaily(broken)
    await fail(broken)
    await intake()
    const loop = peopleLoop(deps())
    const began = Date.now()
    const mended = async (minutes: number) => {
      await loop.tick(new Date(began + minutes * 60_000), never)
      return (await ledger(broken)).length
    }
    expect([await mended(0), await mended(1), await mended(2)]).toEqual([0, 0, 0])
    expect(faults).toHaveLength(1)
    await db.tx((tx) => saveTimezone(tx, broken, 'Europe/Oslo'))
    expect([await mended(2.9), await mended(3)]).toEqual([0, 1])
  })
})

describe('NO-12 an event that nobody follows', () => {
  it('is in the ledger as soon as it left the outbox', async () => {
    await fail(sound)
    await intake()
    expect(await ledger(sound)).toEqual([{ status: 'not_sent', reason: 'no_subscription' }])
  })
})
