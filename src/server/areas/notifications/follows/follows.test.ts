import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#contract/core/client.ts'
import type { EventOf } from '#contract/core/events.ts'
import type { Principal } from '#contract/core/principal.ts'
import type { Role } from '#contract/core/roles.ts'
import { listFollows, setFollow } from '#contract/notifications/follows.ts'
import { newId } from '#edge/ids.ts'
import { createEdge } from '#edge/serve/create-edge.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { systemClock } from '#lib/time/clock.ts'
import type { AppDirectory, AppName } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { knownPeople, type People, type Person, unknownPeople } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createCheck } from '../deliver/check.ts'
import { claimDeliveries } from '../deliver/claim.ts'
import { finishDeliveries } from '../deliver/finish.ts'
import { intakeLoop } from '../intake/intake.ts'
import { peopleLoop } from '../match/people-loop.ts'
import type { Outcome } from '../model/outcome.ts'
import { followRoutes } from './routes.ts'

const ORG = newId('org')
const OTHER_ORG = newId('org')
const USER = newId('usr')
const INFO = { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'api', direct: false } as const
const SHOP: AppName = { id: newId('app'), alias: 'shop', name: 'Shop' }
const BLOG: AppName = { id: newId('app'), alias: 'blog', name: 'Blog' }
const sealer = createSealer(['ab'.repeat(32)])

describe('NO-05 personal follows', () => {
  let test: TestDatabase
  let apps: AppName[]
  let builders: string[]
  let role: Role
  let arePeopleKnown: boolean
  beforeAll(async () => {
    test = await openTestDatabase()
  })
  afterAll(() => test?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    apps = [SHOP, BLOG]
    builders = [SHOP.id]
    role = 'member'
    arePeopleKnown = true
    for (const table of ['attempts', 'deliveries', 'notifications', 'destinations', 'events', 'follows', 'inbox'])
      await test.db.query({ text: `delete from notifications.${table}`, values: [], name: '' })
  })

  const directory: AppDirectory = {
    find: async (orgId, aliasOrId) =>
      orgId === ORG ? apps.find(({ id, alias }) => id === aliasOrId || alias === aliasOrId) : undefined,
    names: async (_, ids) => new Map(apps.filter(({ id }) => ids.includes(id)).map((app) => [app.id, app])),
  }
  const person = (): Person => ({ user_id: USER, email: 'ada@example.com', display_name: 'Ada', role })
  const people: People = {
    ownersAndAdmins: async () => knownPeople([]),
    member: async (orgId, id) =>
      arePeopleKnown
        ? knownPeople(orgId === ORG && id === USER ? person() : undefined)
        : unknownPeople({ isTemporary: true }),
    memberByEmail: async () => ({ isKnown: true, value: undefined }),
    displayNames: async () => knownPeople(new Map()),
    organization: async () => knownPeople({ name: 'Acme', slug: 'acme' }),
    partHolders: async (_, appId) =>
      knownPeople(builders.includes(appId) ? [{ user_id: USER, part: 'builder' as const }] : []),
  }
  /** A caller as the auth service answers it. */
  const as = (over: Partial<Principal> = {}) => {
    const caller = { kind: 'user', id: 'x', user_id: USER, org_id: ORG, role, scopes: [], expires_at: null } as const
    const edge = createEdge(followRoutes({ db: test.db, sealer, clock: systemClock, people, apps: directory }), {
      service: 'test',
      resolve: async () => ({ ...caller, scopes: [], ...over }),
      operatorToken: undefined,
      db: test.db,
      kv: openMemoryStore(systemClock),
      sealer,
      clock: systemClock,
      log: createLog('silent'),
      metrics: createMetrics({ processMetrics: false }),
    })
    return createClient({
      baseUrl: 'http://test',
      fetch: (request) => edge(request, INFO),
      headers: () => ({ authorization: 'Bearer x' }),
    })
  }
  const listed = async () => (await as().call(listFollows, {})).items
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }
  const SHOP_FOLLOW = {
    app: SHOP,
    categories: ['checks', 'tickets'],
    frequency: 'immediately',
    via: 'chat',
    last_outcome: null,
  }

  it('are saved for an app by alias or id, and a save replaces the former choice', async () => {
    const first = await as().call(setFollow, { app: 'shop', categories: ['checks', 'tickets'] })
    expect(first).toEqual(SHOP_FOLLOW)
    expect(await listed()).toEqual([first])
    const second = await as().call(setFollow, { app: SHOP.id, categories: ['failed_deploys'], frequency: 'daily' })
    expect(second).toEqual({
      app: SHOP,
      categories: ['failed_deploys'],
      frequency: 'daily',
      via: 'chat',
      last_outcome: null,
    })
    expect(await listed()).toEqual([second])
  })

  it('without categories mean that the app is not followed', async () => {
    await as().call(setFollow, { app: 'shop', categories: ['checks'] })
    const none = await as().call(setFollow, { app: 'shop', categories: [] })
    expect(none).toEqual({ app: SHOP, categories: [], frequency: 'immediately', via: 'chat', last_outcome: null })
    expect(await listed()).toEqual([])
    // Safe to repeat.
    expect(await as().call(setFollow, { app: 'shop', categories: [] })).toEqual(none)
  })

  it('are the own ones only, and those of the organization of the token', async () => {
    await as().call(setFollow, { app: 'shop', categories: ['checks'] })
    expect((await as({ user_id: newId('usr') }).call(listFollows, {})).items).toEqual([])
    expect((await as({ org_id: OTHER_ORG }).call(listFollows, {})).items).toEqual([])
  })

  it.each<[who: string, role: Role, refusal: object]>([
    [
      'a member does not see that the app exists',
      'member',
      { status: 404, code: 'NOT_FOUND', message: 'No such app.' },
    ],
    [
      'a developer is told why',
      'developer',
      {
        status: 403,
        code: 'FORBIDDEN',
        message:
          'You can follow apps that you build, maintain or administer. Ask an administrator of the app for a part.',
      },
    ],
  ])('are refused in an app without a part: %s', async (_, as_role, refusal) => {
    role = as_role
    expect(await refusalOf(as().call(setFollow, { app: 'blog', categories: ['checks'] }))).toEqual(refusal)
    expect(await refusalOf(as().call(setFollow, { app: 'blog', categories: [] }))).toEqual(refusal)
    expect(await listed()).toEqual([])
  })

  it('are allowed to an admin in every app of the organization', async () => {
    role = 'admin'
    await as().call(setFollow, { app: 'blog', categories: ['maintenance'] })
    expect(await listed()).toMatchObject([{ app: BLOG }])
  })

  it.each<[what: string, input: object, status: number]>([
    ['an unknown app', { app: 'none', categories: ['checks'] }, 404],
    ["another organization's app", { app: newId('app'), categories: ['checks'] }, 404],
    ['an unknown category', { app: 'shop', categories: ['everything'] }, 400],
    ['a category named twice', { app: 'shop', categories: ['checks', 'checks'] }, 400],
    ['no categories at all', { app: 'shop' }, 400],
    ['an unknown frequency', { app: 'shop', categories: ['checks'], frequency: 'weekly' }, 400],
  ])('are refused with %s', async (_, input, status) => {
    expect(await refusalOf(as().call(setFollow, input as never))).toMatchObject({ status })
    expect(await listed()).toEqual([])
  })

  it('are not saved while nobody can say who the people are', async () => {
    arePeopleKnown = false
    expect(await refusalOf(as().call(setFollow, { app: 'shop', categories: ['checks'] }))).toEqual({
      status: 503,
      code: 'UNAVAILABLE',
      message: 'Your part in the app cannot be checked at the moment. Try again later.',
    })
    expect(await listed()).toEqual([])
  })

  it.each<[who: string, over: Partial<Principal>]>([
    ['an agent', { kind: 'agent', scopes: ['notifications:read'] }],
    ['a workload', { kind: 'workload', user_id: null }],
    ['a support session', { support: { staff_email: 's@example.com' } }],
  ])('are refused to %s', async (_, over) => {
    expect(await refusalOf(as(over).call(listFollows, {}))).toMatchObject({ status: 403 })
    expect(await refusalOf(as(over).call(setFollow, { app: 'shop', categories: ['checks'] }))).toMatchObject({
      status: 403,
    })
  })

  it('can be ended when the part is lost, and when the app is gone', async () => {
    role = 'admin'
    for (const app of ['shop', 'blog']) await as().call(setFollow, { app, categories: ['checks'] })
    role = 'member'
    builders = []
    apps = [BLOG]
    expect(await listed()).toMatchObject([
      { app: { id: SHOP.id, alias: null, name: null } },
      { app: BLOG, categories: ['checks'] },
    ])
    await as().call(setFollow, { app: SHOP.id, categories: [] })
    await as().call(setFollow, { app: 'blog', categories: [] })
    expect(await listed()).toEqual([])
  })

  const failedDeploy = (): EventOf<'deploy.failed'> => ({
    type: 'deploy.failed',
    org_id: ORG,
    occurred_at: new Date('2026-05-01T10:00:00Z'),
    body: { status: 'BUILD_FAILED', actor_id: null, app: SHOP, deployment_id: newId('dep') },
  })
  /** Takes an event in and matches it, as a worker does. */
  const happens = async () => {
    const { signal } = new AbortController()
    const deps = { db: test.db, sealer, people, onError: (error: unknown) => expect(error).toBeUndefined() }
    await test.db.tx((tx) => emit(tx, failedDeploy()))
    await intakeLoop(deps).tick(new Date(), signal)
    await peopleLoop(deps).tick(new Date(), signal)
  }
  /** Attempts what is due, with an outcome in place of the chat service, and returns the reasons of the refused. */
  const attempted = async (outcome: Outcome) => {
    const { deliveries } = await claimDeliveries(test.db, 'first', 10, 60)
    const check = createCheck({ db: test.db, people, sealer, clock: systemClock })
    for (const delivery of deliveries) {
      const checked = await check(delivery)
      const ended = 'outcome' in checked ? checked : { outcome }
      await finishDeliveries(test.db, [{ delivery, ...ended }], () => 0.5)
    }
    await test.db.query(sql`update notifications.destinations set paused_until = null`)
  }
  const outcome = async () => {
    const last = (await listed())[0]?.last_outcome
    return last && { status: last.status, reason: last.reason }
  }
  const follow = (frequency: 'immediately' | 'daily' = 'immediately') =>
    as().call(setFollow, { app: 'shop', categories: ['failed_deploys'], frequency })

  it('NO-12 show what became of the newest event: delivered, retrying, or not sent and why', async () => {
    await follow()
    await happens()
    expect(await outcome()).toBeNull()
    await attempted({ type: 'sent' })
    expect((await listed())[0]!.last_outcome).toEqual({
      status: 'delivered',
      reason: null,
      event_type: 'deploy.failed',
      occurred_at: '2026-05-01T10:00:00.000Z',
    })
    for (const [given, shown] of [
      [
        { type: 'retry', reason: 'http_503' },
        { status: 'retrying', reason: 'http_503' },
      ],
      [
        { type: 'failed', reason: 'chat_not_linked' },
        { status: 'not_sent', reason: 'chat_not_linked' },
      ],
      [
        { type: 'unknown', reason: 'io' },
        { status: 'not_sent', reason: 'outcome_unknown' },
      ],
    ] as const) {
      await happens()
      await test.db.query(sql`update notifications.destinations set first_at = clock_timestamp()`)
      await attempted(given)
      expect(await outcome()).toEqual(shown)
    }
  })

  it('NO-12 an event that waits for its digest leaves the former outcome', async () => {
    await follow()
    await happens()
    await attempted({ type: 'sent' })
    await follow('daily')
    await happens()
    expect(await outcome()).toEqual({ status: 'delivered', reason: null })
  })

  it('a part that is lost is noticed at the next event, which is recorded as not sent', async () => {
    await follow()
    builders = []
    await happens()
    expect(await outcome()).toEqual({ status: 'not_sent', reason: 'no_part_in_app' })
    expect(await test.db.query(sql`select from notifications.inbox`)).toEqual([])
    expect((await claimDeliveries(test.db, 'first', 10, 60)).deliveries).toEqual([])
  })

  it('a part that is lost after the event is noticed before the message is sent', async () => {
    await follow()
    await happens()
    builders = []
    await attempted({ type: 'sent' })
    expect(await outcome()).toEqual({ status: 'not_sent', reason: 'no_part_in_app' })
  })
})
