import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runSlots } from '#lib/work/slots.ts'
import { createFakeTarget, type FakeTarget } from '#test/apps/fake-target.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { until } from '#test/until.ts'
import { findHostedApp, queueDeploy } from '../deploys/store.ts'
import { markDeleting } from '../manage/delete-store.ts'
import { failDeploy } from './fail-deploy.ts'
import { failHarmfulDeploy } from './harmful.ts'
import { hostJobs } from './jobs.ts'
import { createAppTraffic } from './traffic.ts'

const ORG = newId('org')
const USER = newId('usr')
let database: TestDatabase
let db: Db
let target: FakeTarget
let hosting: AsyncDisposable | undefined
const clock = testClock()
const traffic = createAppTraffic()
const lines: string[] = []
const errors: unknown[] = []
/** Values of the statements that hosts sent outside of transactions. */
const looks: unknown[] = []

beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(() => {
  target = createFakeTarget()
})
afterEach(async () => {
  await hosting?.[Symbol.asyncDispose]()
  hosting = undefined
  // The host of the next test would run them too.
  await db.query(sql`delete from apps.apps`)
  expect(errors.splice(0)).toEqual([])
  lines.length = 0
  looks.length = 0
})

describe('MA-15 a deploy', () => {
  it('is built, started and probed, and then serves', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    expect(await stateOf(deploy)).toEqual({ state: 'live', failure_code: null })
    expect(await ask(app)).toBe(`answer of ${deploy}`)
  })

  it('NO-02 that fails leaves the former revision serving and emits deploy.failed once', async () => {
    const app = await makeApp()
    await startHosting()
    const first = await queue(app)
    await settled(first)
    target.next({ build: { ok: false, code: 'BUILD_FAILED', detail: 'exit code 2' } })
    const second = await queue(app)
    expect(await stateOf(second)).toEqual({ state: 'failed', failure_code: 'BUILD_FAILED' })
    expect(await ask(app)).toBe(`answer of ${first}`)
    expect(await eventsOf(app)).toEqual([{ type: 'deploy.failed', status: 'BUILD_FAILED', deployment_id: second }])
  })

  it.each([
    ['ends while it starts', { endsAtOnce: 'exit code 1' }, 'START_FAILED'],
    ['answers 500 to its probes', { status: 500 }, 'HEALTH_FAILED'],
    ['accepts no connection', { refuses: true }, 'HEALTH_FAILED'],
    ['cannot be started', { startFails: 'no such file' }, 'START_FAILED'],
    ['ends the door while it starts', { isHarmful: true }, 'HARMFUL_ANSWERS'],
  ])('of an app that %s fails', async (_, behaviour, failure_code) => {
    const app = await makeApp()
    await startHosting()
    target.next(behaviour)
    const deploy = await queue(app)
    expect(await stateOf(deploy)).toEqual({ state: 'failed', failure_code })
    expect(target.running(app.id)).toEqual([])
  })

  it('that waits is superseded by a newer one', async () => {
    const app = await makeApp()
    const first = await queue(app)
    const second = await queue(app)
    await startHosting()
    expect(await stateOf(second)).toEqual({ state: 'live', failure_code: null })
    expect(await stateOf(first)).toEqual({ state: 'superseded', failure_code: null })
    expect(await eventsOf(app)).toEqual([])
  })

  it('lets requests of the former revision end, and stops it then', async () => {
    const app = await makeApp()
    await startHosting()
    const first = await queue(app)
    await settled(first)
    const slow = target.holdNextRequest()
    const answer = ask(app)
    await slow.arrived
    const second = await queue(app)
    await settled(second)
    expect(await ask(app)).toBe(`answer of ${second}`)
    expect(target.running(app.id)).toEqual([first, second])
    slow.release()
    expect(await answer).toBe(`answer of ${first}`)
    await until(() => target.running(app.id).length === 1)
  })
})

describe('MA-15 a live app', () => {
  it('that ends is started again', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    await settled(deploy)
    target.crash(app.id, 'exit code 137')
    await until(async () => (await ask(app)) === `answer of ${deploy}`)
    expect(lines).toContain('The app ended (exit code 137) and is started again.')
  })

  it('that crashes again and again after the switch gives way to the former revision, with one event', async () => {
    const app = await makeApp()
    await startHosting()
    const first = await queue(app)
    await settled(first)
    const second = await queue(app)
    await settled(second)
    await crashUntilFailed(app, second)
    expect(await stateOf(second)).toEqual({ state: 'failed', failure_code: 'CRASH_LOOP' })
    expect(await stateOf(first)).toEqual({ state: 'live', failure_code: null })
    await until(async () => (await ask(app)) === `answer of ${first}`)
    expect(await eventsOf(app)).toEqual([{ type: 'deploy.failed', status: 'CRASH_LOOP', deployment_id: second }])
  })

  it('OP-09 whose answers end the door stays stopped, with a reason and one event, until it is deployed again', async () => {
    const app = await makeApp()
    await startHosting()
    const first = await queue(app)
    await settled(first)
    const second = await queue(app)
    await settled(second)
    target.harm(app.id)
    expect(await ask(app)).toBe('not running')
    await until(async () => (await stateNow(second)) === 'failed')
    expect(await stateOf(second)).toEqual({ state: 'failed', failure_code: 'HARMFUL_ANSWERS' })
    expect(await stateOf(first)).toEqual({ state: 'retired', failure_code: null })
    await until(() => target.running(app.id).length === 0)
    expect(lines.filter((line) => line.startsWith('Stopped: Answers of the app ended the process'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('started again'))).toEqual([])
    expect(await eventsOf(app)).toEqual([{ type: 'deploy.failed', status: 'HARMFUL_ANSWERS', deployment_id: second }])
    const third = await queue(app)
    expect(await stateOf(third)).toEqual({ state: 'live', failure_code: null })
    expect(await ask(app)).toBe(`answer of ${third}`)
  })

  it('OP-09 whose answers end the door is stopped at once while its next deploy is being built', async () => {
    const app = await makeApp()
    await startHosting()
    const first = await queue(app)
    await settled(first)
    target.next({ buildHangs: true })
    const second = await queue(app)
    await until(async () => (await stateNow(second)) === 'building')
    target.harm(app.id)
    await until(() => target.running(app.id).length === 0)
    await until(async () => (await stateNow(first)) === 'failed')
    expect(await stateNow(second)).toBe('building')
  })

  it('OP-09 is stopped when another process records that its answers end the door', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    await settled(deploy)
    await failHarmfulDeploy({ db, clock, writeLog: ({ text }) => lines.push(text) }, deploy)
    expect(lines.at(-1)).toMatch(/^Stopped: Answers of the app ended the process/)
    await until(() => target.running(app.id).length === 0)
    expect(await ask(app)).toBe('not running')
    expect(await stateOf(deploy)).toEqual({ state: 'failed', failure_code: 'HARMFUL_ANSWERS' })
    expect(await eventsOf(app)).toEqual([{ type: 'deploy.failed', status: 'HARMFUL_ANSWERS', deployment_id: deploy }])
  })

  it('that crashes later than ten minutes after the switch is started again without end', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    await settled(deploy)
    clock.advance(11 * 60_000)
    for (let n = 0; n < 5; n++) {
      target.crash(app.id, 'exit code 1')
      await until(async () => (await ask(app)) === `answer of ${deploy}`)
    }
    expect(await stateOf(deploy)).toEqual({ state: 'live', failure_code: null })
  })

  it('is started from its release after svc was started again', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    await settled(deploy)
    await hosting![Symbol.asyncDispose]()
    expect(target.running(app.id)).toEqual([])
    expect(target.builds).toBe(1)
    await startHosting()
    await until(async () => (await ask(app)) === `answer of ${deploy}`)
    expect(target.builds).toBe(1)
  })

  it('NO-19 counts as started again by svc until it answers, and not only until it ended while it started', async () => {
    const app = await makeApp()
    const behaviour: { endsAtOnce?: string } = {}
    target.next(behaviour)
    await startHosting()
    await settled(await queue(app))
    expect(traffic.hosted(app.label)).toEqual({ takenOverAt: undefined, isServed: true })
    await hosting![Symbol.asyncDispose]()
    expect(traffic.hosted(app.label)).toBeUndefined()
    clock.advance(11 * 60_000)
    behaviour.endsAtOnce = 'exit code 1'
    await startHosting()
    await until(() => lines.filter((line) => line.includes('exit code 1')).length >= 2)
    expect(traffic.hosted(app.label)).toEqual({ takenOverAt: expect.any(Date), isServed: false })
    delete behaviour.endsAtOnce
    await until(() => traffic.hosted(app.label)?.isServed)
  })

  it('NO-19 counts from when the process took it over, also if what was left of it cannot be ended at first', async () => {
    const app = await makeApp()
    await startHosting()
    await settled(await queue(app))
    await hosting![Symbol.asyncDispose]()
    target.failOrphans(2)
    const takenOverAt = clock.now()
    await startHosting()
    await until(() => traffic.hosted(app.label)?.isServed)
    expect(traffic.hosted(app.label)).toEqual({ takenOverAt, isServed: true })
    expect(errors.splice(0).map(String)).toEqual(Array(2).fill('Error: orphans cannot be ended'))
  })

  it('OP-07 that svc lost sight of counts as started again by svc until it answers, and its log has no fault', async () => {
    const app = await makeApp()
    await startHosting()
    await settled(await queue(app))
    const lostAt = clock.now()
    target.crash(app.id, 'the process that keeps apps becomes that of another release', { isOurs: true, goesOn: true })
    await until(() => traffic.hosted(app.label)?.takenOverAt && traffic.hosted(app.label)?.isServed)
    expect(traffic.hosted(app.label)).toEqual({ takenOverAt: lostAt, isServed: true })
    expect(lines.filter((line) => line.includes('becomes that of another release'))).toEqual([])
  })

  it('OP-07 is not started again by a process whose lease another one has by now', async () => {
    const app = await makeApp()
    await startHosting()
    await settled(await queue(app))
    await db.query(sql`
      update svc.leases set holder = 'another', fence = nextval('svc.fences'),
        expires_at = clock_timestamp() + interval '1 hour'
      where name = ${`app-host:${app.id}`}`)
    target.crash(app.id, 'exit code 1')
    await until(() => traffic.hosted(app.label)?.takenOverAt)
    expect(lines.filter((line) => line.includes('another process hosts the app'))).toEqual([])
    expect(target.running(app.id)).toEqual([])
    await hosting![Symbol.asyncDispose]()
    await db.query(sql`delete from svc.leases where name = ${`app-host:${app.id}`}`)
  })

  it('is stopped and removed when it is deleted', async () => {
    const app = await makeApp()
    await startHosting()
    const deploy = await queue(app)
    await settled(deploy)
    await db.tx((tx) => markDeleting(tx, app.id))
    await untilGone(app)
    expect(target.running(app.id)).toEqual([])
    expect(await ask(app)).toBe('not running')
  })
})

describe('MA-15 the deletion of an app', () => {
  it('ends a build that is under way, without an event', async () => {
    const app = await makeApp()
    await startHosting()
    target.next({ buildHangs: true })
    await queue(app)
    await until(() => target.builds === 1)
    await db.tx((tx) => markDeleting(tx, app.id))
    await untilGone(app)
    expect(await eventsOf(app)).toEqual([])
  })

  it('ends the build of a live app whose release is gone', async () => {
    const app = await makeApp()
    await startHosting()
    await settled(await queue(app))
    await hosting![Symbol.asyncDispose]()
    await target.prune({ id: app.id, orgId: ORG }, [])
    target.next({ buildHangs: true })
    await startHosting()
    await until(() => target.builds === 2)
    await db.tx((tx) => markDeleting(tx, app.id))
    await untilGone(app)
    expect(target.running(app.id)).toEqual([])
  })
})

describe('MA-15 a notification', () => {
  it('makes only the host of its app look', async () => {
    const [quiet, busy] = [await makeApp('quiet'), await makeApp('busy')]
    await startHosting()
    for (const app of [quiet, busy]) await settled(await queue(app))
    const before = await until(() => stableLooks(quiet))
    const ofBusy = looksOf(busy)
    await settled(await queue(busy))
    expect(looksOf(quiet)).toBe(before)
    expect(looksOf(busy)).toBeGreaterThan(ofBusy)
  })

  it('that was lost is made up for by the next look for apps', async () => {
    const [forgotten, other] = [await makeApp('forgotten'), await makeApp('other')]
    await startHosting()
    await settled(await queue(forgotten))
    await until(() => stableLooks(forgotten))
    const lost = newId('dep')
    await db.query(sql`
      insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at)
      values (${lost}, ${forgotten.id}, ${ORG}, ${forgotten.revision}, 'deploy', 'queued', ${clock.now()})`)
    await queue(other)
    expect(await stateOf(lost)).toEqual({ state: 'live', failure_code: null })
  })
})

describe('MA-15 a stop of svc during a deploy', () => {
  it('puts the deploy back into the queue, and the next process finishes it', async () => {
    const app = await makeApp()
    await startHosting()
    target.next({ buildHangs: true })
    const deploy = await queue(app)
    await until(() => target.builds === 1)
    await hosting![Symbol.asyncDispose]()
    expect(await stateNow(deploy)).toBe('queued')
    await startHosting()
    expect(await stateOf(deploy)).toEqual({ state: 'live', failure_code: null })
  })

  it.each([
    ['building', 1, 'live', null],
    ['starting', 1, 'live', null],
    ['building', 2, 'failed', 'INTERRUPTED'],
    ['starting', 2, 'failed', 'INTERRUPTED'],
  ])('killed while %s at attempt %i ends as %s', async (state, attempt, ends, failure_code) => {
    const app = await makeApp()
    const deploy = await queue(app)
    await db.query(sql`
      update apps.deploys set state = ${state}, attempt = ${attempt}, started_at = created_at where id = ${deploy}`)
    await startHosting()
    expect(await stateOf(deploy)).toEqual({ state: ends, failure_code })
    expect(await eventsOf(app)).toHaveLength(ends === 'failed' ? 1 : 0)
  })
})

it('NO-01 a failure that is rolled back leaves no event', async () => {
  const app = await makeApp()
  const id = await queue(app)
  const hosted = (await findHostedApp(db, app.id))!
  const failing = db.tx(async (tx) => {
    const failure = { code: 'BUILD_FAILED', detail: 'exit code 1', at: clock.now() } as const
    expect(await failDeploy(tx, hosted, { id, requested_by: USER }, ['queued'], failure)).toBe(true)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect([await stateNow(id), await eventsOf(app)]).toEqual(['queued', []])
})

it('MA-15 a deploy whose end could not be recorded is settled by the same process', async () => {
  const app = await makeApp()
  await startHosting()
  await settled(await queue(app))
  const stuck = newId('dep')
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, attempt, created_at, started_at)
      values (${stuck}, ${app.id}, ${ORG}, ${app.revision}, 'deploy', 'building', 1, ${clock.now()}, ${clock.now()})`)
    await tx.query(sql`select pg_notify('apps_deploys', ${app.id})`)
  })
  expect(await stateOf(stuck)).toEqual({ state: 'live', failure_code: null })
})

it('AP-01 a switch leaves WebSockets of the former revision open, and deleting the app closes all at once', async () => {
  const app = await makeApp()
  await startHosting()
  const closed: string[] = []
  const openSocket = (name: string) => {
    const end = traffic.find(app.label)!.beginSocket(() => {
      closed.push(name)
      end()
    })
  }
  await settled(await queue(app))
  openSocket('former')
  const second = await queue(app)
  await until(async () => (await ask(app)) === `answer of ${second}` && (await stateNow(second)) === 'live')
  openSocket('new')
  expect(closed).toEqual([])
  await db.tx((tx) => markDeleting(tx, app.id))
  await untilGone(app)
  expect(closed).toEqual(['former', 'new'])
})

type TestApp = { id: string; label: string; revision: string }

async function makeApp(alias = 'shop'): Promise<TestApp> {
  const id = newId('app')
  const revision = newId('rev')
  const label = `${alias}--${id.slice(-8)}`
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, start_command, health_path, state, created_by, created_at)
    values (${id}, ${ORG}, ${alias}, 'Shop', ${label}, 'node server.js', '/healthz', 'active', ${USER}, ${clock.now()})`)
  await db.query(sql`
    insert into apps.revisions (id, app_id, org_id, digest, manifest, file_count, total_bytes, created_at)
    values (${revision}, ${id}, ${ORG}, '\\x00', '[]', 0, 0, ${clock.now()})`)
  return { id, label, revision }
}

async function startHosting(): Promise<void> {
  const jobs = hostJobs({
    db: {
      ...db,
      query: (statement) => {
        looks.push(...statement.values)
        return db.query(statement)
      },
    },
    target,
    traffic,
    // Nothing waits: delays pass at once and move the clock.
    time: {
      now: () => clock.now(),
      delay: async (ms) => {
        clock.advance(ms)
        await new Promise((resolve) => setImmediate(resolve))
      },
    },
    writeLog: ({ text }) => lines.push(text),
    logStored: async () => {},
    readFiles: async function* () {},
    readVariables: async () => ({}),
    onError: (error) => errors.push(error),
  })
  hosting = await runSlots([jobs], { db, uptime: processUptime, onError: (_, error) => errors.push(error) })
}

async function queue(app: TestApp): Promise<string> {
  const id = newId('dep')
  const created_at = clock.now()
  await db.tx((tx) =>
    queueDeploy(tx, {
      id,
      app_id: app.id,
      org_id: ORG,
      revision_id: app.revision,
      kind: 'deploy',
      requested_by: USER,
      created_at,
    }),
  )
  return id
}

async function untilGone({ id }: TestApp): Promise<void> {
  await until(async () => (await db.query(sql`select from apps.apps where id = ${id}`)).length === 0)
}

/** How often the host asked the database about the app. */
function looksOf({ id }: TestApp): number {
  return looks.filter((value) => value === id).length
}

/** Returns how often, once several notifications to every listener have passed without another look. */
async function stableLooks(app: TestApp): Promise<number | undefined> {
  const before = looksOf(app)
  for (let round = 0; round < 5; round++) {
    const heard = Promise.withResolvers<void>()
    await using _listening = await db.listen('apps_deploys', (payload) => payload === `${round}` && heard.resolve())
    await db.query(sql`select pg_notify('apps_deploys', ${`${round}`})`)
    await heard.promise
  }
  return looksOf(app) === before ? before : undefined
}

async function stateNow(deploy: string): Promise<string> {
  const [row] = await db.query<{ state: string }>(sql`select state from apps.deploys where id = ${deploy}`)
  return row!.state
}

async function settled(deploy: string): Promise<void> {
  await until(async () => ['live', 'failed', 'superseded', 'retired'].includes(await stateNow(deploy)))
}

async function stateOf(deploy: string) {
  await settled(deploy)
  const [row] = await db.query(sql`select state, failure_code from apps.deploys where id = ${deploy}`)
  return row
}

async function ask({ label }: TestApp): Promise<string> {
  const response = await traffic.find(label)?.fetch(new Request('http://127.0.0.1/'))
  return response ? response.text() : 'not running'
}

async function crashUntilFailed(app: TestApp, deploy: string): Promise<void> {
  await until(async () => {
    if ((await stateNow(deploy)) === 'failed') return true
    target.crash(app.id, 'exit code 1')
    return false
  })
}

async function eventsOf({ id }: TestApp) {
  return db.query(sql`
    select type, body->>'status' as status, body->>'deployment_id' as deployment_id
    from svc.outbox where body->'app'->>'id' = ${id}`)
}
