import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { emit } from '#ports/emit.ts'
import type { People } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import { insertChannel } from '../channels/store.ts'
import { createDeliveries } from '../create-deliveries.ts'
import type { DigestTiming } from '../model/window.ts'
import { addSubscription } from '../subscriptions/store.ts'

const sealer = createSealer([createHash('sha256').update('key').digest('hex')])
const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
const clock = testClock()
const never = new AbortController().signal
const nobody: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

/** Where a worker that is killed in this step stops. */
type Until = 'before intake' | 'before match' | 'before close' | 'before sending' | 'end'
const LOOPS: Record<Until, readonly string[]> = {
  'before intake': [],
  'before match': ['notifications-intake'],
  'before close': ['notifications-intake', 'notifications-match'],
  'before sending': ['notifications-intake', 'notifications-match', 'notifications-digests'],
  end: ['notifications-intake', 'notifications-match', 'notifications-digests'],
}
/** Workers of steps that follow each other are killed at these places, beginning with any of them. */
const KILLS: readonly Until[] = ['before sending', 'before intake', 'before close', 'before match']

let test: TestDatabase
let peer: Peer
let org: string
beforeAll(async () => {
  test = await openTestDatabase()
  peer = await startPeer((_, response) => void response.end())
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
  await test?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  org = newId('org')
})

/** A new worker takes one turn at this time, so every step is a restart. */
async function work(at: string, until: Until = 'end'): Promise<void> {
  clock.set(new Date(at))
  const { loops, slots } = createDeliveries({
    db: test.db,
    sealer,
    people: nobody,
    safeFetch: createSafeFetch({
      resolve: fakeResolve({ 'hooks.example.com': [['93.184.215.14']] }),
      connect: fakeConnect({ '93.184.215.14': peer }),
    }),
    clock,
    baseUrl: () => 'https://svc.example.com',
    onError: (error) => expect.fail(String(error)),
    timing: { leaseSeconds: 60, minLeaseMs: 0 },
  })
  for (const loop of loops.filter(({ name }) => LOOPS[until].includes(name))) await loop.tick(clock.now(), never)
  if (until === 'end') for (const kind of slots) await runJobs(kind)
}

async function subscribe(timing: DigestTiming, timezone: string): Promise<void> {
  await test.db.query(sql`
    insert into notifications.settings (org_id, timezone) values (${org}, ${timezone})`)
  await test.db.tx(async (tx) => {
    const hook = { org_id: org, kind: 'webhook', label: 'hooks', settings: { per_message: 50 } } as const
    const { id } = await insertChannel(tx, sealer, { ...hook, secret: `https://hooks.example.com/${org}` })
    const rule = { org_id: org, owner: 'organization', pattern: 'deploy.*', channel_id: id } as const
    await addSubscription(tx, sealer, { ...rule, timing })
  })
}

/** Emits an event of this time. Its time identifies it in the messages. */
async function happen(at: string): Promise<void> {
  const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') } as const
  const event: EventOf = { type: 'deploy.failed', org_id: org, occurred_at: new Date(at), body }
  await test.db.tx((tx) => emit(tx, event))
}

/** The times of the events of each message that arrived for the organization of the test. */
const messages = () =>
  peer.received
    .filter(({ path }) => path === `/${org}`)
    .map(({ body }) => (JSON.parse(body) as { occurred_at: string }[]).map((one) => one.occurred_at))

type Step = readonly [at: string, until?: Until]

/** At each step an event happens and a new worker takes a turn. Returns what was sent at which step. */
async function follow(steps: readonly Step[]): Promise<Record<string, string[]>> {
  const sent: Record<string, string[]> = {}
  for (const [at, until] of steps) {
    await happen(at)
    const before = messages().length
    await work(at, until)
    for (const times of messages().slice(before)) sent[at] = [...(sent[at] ?? []), times.join(' ')]
  }
  return sent
}

describe('NO-14 digests while clocks change', () => {
  it.each<[string, DigestTiming, string, string[], Record<string, string[]>]>([
    [
      'hourly ones in Berlin: the hour that is left out has no message',
      'hourly',
      'Europe/Berlin',
      ['00:20Z', '00:40Z', '01:00Z', '01:20Z', '02:00Z', '02:20Z', '03:00Z'].map((time) => `2026-03-29T${time}`),
      {
        '2026-03-29T01:00Z': ['2026-03-29T00:20:00.000Z 2026-03-29T00:40:00.000Z'],
        '2026-03-29T02:00Z': ['2026-03-29T01:00:00.000Z 2026-03-29T01:20:00.000Z'],
        '2026-03-29T03:00Z': ['2026-03-29T02:00:00.000Z 2026-03-29T02:20:00.000Z'],
      },
    ],
    [
      'hourly ones in Berlin: the hour that comes twice has two messages',
      'hourly',
      'Europe/Berlin',
      ['00:00Z', '00:30Z', '01:00Z', '01:30Z', '02:00Z', '02:30Z', '03:00Z'].map((time) => `2026-10-25T${time}`),
      {
        '2026-10-25T01:00Z': ['2026-10-25T00:00:00.000Z 2026-10-25T00:30:00.000Z'],
        '2026-10-25T02:00Z': ['2026-10-25T01:00:00.000Z 2026-10-25T01:30:00.000Z'],
        '2026-10-25T03:00Z': ['2026-10-25T02:00:00.000Z 2026-10-25T02:30:00.000Z'],
      },
    ],
    [
      'hourly ones on Lord Howe: the hour of 90 minutes has one message',
      'hourly',
      'Australia/Lord_Howe',
      ['14:00Z', '14:30Z', '15:00Z', '15:20Z', '15:30Z', '15:40Z', '16:30Z'].map((time) => `2026-04-04T${time}`),
      {
        '2026-04-04T15:30Z': [
          '2026-04-04T14:00:00.000Z 2026-04-04T14:30:00.000Z 2026-04-04T15:00:00.000Z 2026-04-04T15:20:00.000Z',
        ],
        '2026-04-04T16:30Z': ['2026-04-04T15:30:00.000Z 2026-04-04T15:40:00.000Z'],
      },
    ],
    [
      'daily ones in Berlin: a day of 23 hours ends at 09:00',
      'daily',
      'Europe/Berlin',
      ['28T08:00Z', '28T20:00Z', '29T06:59Z', '29T07:00Z', '29T08:00Z', '30T07:00Z'].map((time) => `2026-03-${time}`),
      {
        '2026-03-29T07:00Z': ['2026-03-28T08:00:00.000Z 2026-03-28T20:00:00.000Z 2026-03-29T06:59:00.000Z'],
        '2026-03-30T07:00Z': ['2026-03-29T07:00:00.000Z 2026-03-29T08:00:00.000Z'],
      },
    ],
    [
      'daily ones in Berlin: a day of 25 hours ends at 09:00',
      'daily',
      'Europe/Berlin',
      ['24T07:00Z', '24T20:00Z', '25T07:00Z', '25T08:00Z', '25T09:00Z', '26T08:00Z'].map((time) => `2026-10-${time}`),
      {
        '2026-10-25T08:00Z': ['2026-10-24T07:00:00.000Z 2026-10-24T20:00:00.000Z 2026-10-25T07:00:00.000Z'],
        '2026-10-26T08:00Z': ['2026-10-25T08:00:00.000Z 2026-10-25T09:00:00.000Z'],
      },
    ],
  ])('%s, though every turn is one of a new worker', async (_, timing, timezone, times, expected) => {
    await subscribe(timing, timezone)
    expect(await follow(times.map((at) => [at]))).toEqual(expected)
  })

  const HOURS = ['00:00', '00:30', '01:00', '01:30', '02:00', '02:30', '03:00']
  it.each<[string, DigestTiming, string[]]>([
    ['hourly, as they go forward', 'hourly', HOURS.map((time) => `2026-03-29T${time}:00.000Z`)],
    ['hourly, as they go back', 'hourly', HOURS.map((time) => `2026-10-25T${time}:00.000Z`)],
    ['daily, as they go forward', 'daily', ['28T08', '29T06', '29T07', '29T08', '30T07'].map(toMarch)],
    ['daily, as they go back', 'daily', ['24T07', '25T07', '25T08', '25T09', '26T08'].map(toOctober)],
  ])('%s: nothing is lost or repeated, wherever workers are killed', async (_, timing, times) => {
    for (const offset of [0, 3]) {
      org = newId('org')
      await subscribe(timing, 'Europe/Berlin')
      await follow(times.map((at, step) => [at, KILLS[(step + offset) % KILLS.length]!]))
      for (const later of ['2026-11-01T12:00Z', '2026-11-02T12:00Z', '2026-11-03T12:00Z']) await work(later)
      expect(messages().flat().sort(), `offset ${offset}`).toEqual(times)
    }
  })
})

function toMarch(time: string): string {
  return `2026-03-${time}:00:00.000Z`
}

function toOctober(time: string): string {
  return `2026-10-${time}:00:00.000Z`
}
