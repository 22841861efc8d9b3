import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Verdict } from '#contract/checks/checks.ts'
import type { CheckDefinition } from '#contract/checks/definition.ts'
import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { createRedactor } from '#lib/redact/redact.ts'
import { testClock } from '#lib/time/clock.ts'
import type { HeldLease } from '#lib/work/job-kind.ts'
import type { AppAnswer } from '#ports/apps.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { eventsOf } from '#test/deliveries/events.ts'
import { needs } from '#test/stores.ts'
import { runJobs as runAllJobs } from '#test/work/run-jobs.ts'
import { runJobs as createJobs, type RunDeps } from './jobs.ts'
import { planLoop } from './plan.ts'
import { retentionLoop } from './retention.ts'
import { queueRuns } from './runs-store.ts'
import { insertCheck, lockCheck, removeCheck, requireCheck, updateCheck } from './store.ts'

const START = new Date('2026-03-01T10:00:00.000Z')
const MINUTE_MS = 60_000
const orgId = newId('org')
const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
const clock = testClock()
const HELD: HeldLease = { signal: new AbortController().signal, leaseMsLeft: () => 15_000 }

let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${app.id}, ${orgId}, 'shop', 'Shop', 'shop--acme', '/', 'active', 'usr_1', ${START})`)
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  clock.set(START)
  faults.length = 0
  for (const table of [sql`checks.checks`, sql`checks.runs`, sql`svc.outbox`]) await db.query(sql`delete from ${table}`)
})

const faults: unknown[] = []
const ANSWERS: Record<Verdict, AppAnswer | 'ceiling'> = {
  pass: { type: 'answered', response: new Response(null, { status: 204 }) },
  fail: { type: 'not_running' },
  error: { type: 'no_address' },
  indeterminate: 'ceiling',
}

/** Deps of a worker whose app gives the verdict, and for which others host the named apps. */
function depsOf(verdict: () => Verdict | Promise<Verdict>, over: Partial<RunDeps> = {}): RunDeps {
  return {
    db,
    clock,
    redactorOf: async () => createRedactor({}),
    apps: {
      find: async (_org, id) => (id === app.id ? app : undefined),
    },
    probe: {
      hostedElsewhere: async () => new Set(),
      restarts: async () => new Map(),
      get: async () => {
        const answer = ANSWERS[await verdict()]
        if (answer === 'ceiling') throw new Error('only a log check can be indeterminate here')
        return answer
      },
    },
    logs: {
      count: async () => ({ count: 0, isComplete: (await verdict()) !== 'indeterminate' }),
      read: async () => ({ lines: [], isComplete: true }),
    },
    safeFetch: async () => expect.fail('nothing is sent to the network'),
    findModel: () => undefined,
    pool: { reserve: async () => 'exhausted', settle: async () => undefined },
    onError: (error) => void faults.push(error),
    ...over,
  }
}

const runJobs = (deps: RunDeps) => createJobs(deps, 'other')

const HTTP: CheckDefinition = {
  kind: 'http',
  target: '/up',
  expected_status: null,
  contains: null,
  timeout_seconds: 10,
}
const LOG: CheckDefinition = {
  kind: 'log',
  text: 'x',
  level: null,
  window_minutes: 15,
  max_count: null,
  min_count: null,
}
let checks = 0
async function newCheck({ threshold = 1, every_minutes = 5 } = {}): Promise<string> {
  checks += 1
  const [id, name] = [newId('chk'), `check ${checks}`]
  const row = { id, org_id: orgId, app_id: app.id, name, definition: HTTP, schedule: { every_minutes }, threshold }
  await db.tx((tx) => insertCheck(tx, { ...row, next_at: clock.now(), created_by: 'usr_1', created_at: clock.now() }))
  return id
}
const plan = (on = db) =>
  planLoop({ db: on, onError: (error) => void faults.push(error) }).tick(clock.now(), HELD.signal)
const stateOf = async (id: string) => (await requireCheck(db, app.id, id)).state
const runsOf = (id: string) =>
  db.query<{ state: string; verdict: string | null; code: string | null; slot: Date | null; attempt: number }>(sql`
    select state, verdict, code, slot, attempt from checks.runs where check_id = ${id} order by id`)
const eventTypes = async () => (await eventsOf(db, orgId)).map(({ type }) => type.replace('application.check.', ''))

/** Runs the check once for each verdict, five minutes apart, each time on a worker that has just started. */
async function runNights(id: string, verdicts: readonly Verdict[]): Promise<void> {
  for (const verdict of verdicts) {
    const definition = verdict === 'indeterminate' ? LOG : HTTP
    await db.query(sql`update checks.checks set definition = ${JSON.stringify(definition)} where id = ${id}`)
    await plan()
    await runAllJobs(runJobs(depsOf(() => verdict)))
    clock.advance(5 * MINUTE_MS)
  }
}

describe('NO-02 a check that runs on schedule', () => {
  it('runs though the next slot of another one cannot be computed, which waits until it can', async () => {
    const [broken, sound] = [await newCheck(), await newCheck()]
    const scheduleIn = (timezone: string) =>
      db.query(sql`
        update checks.checks set schedule = ${JSON.stringify({ cron: '*/5 * * * *', timezone })} where id = ${broken}`)
    await scheduleIn('Mars/Olympus_Mons')
    await plan()
    expect(faults).toHaveLength(1)
    expect([await runsOf(broken), (await runsOf(sound)).length]).toEqual([[], 1])
    await scheduleIn('Europe/Oslo')
    clock.advance(60 * MINUTE_MS)
    await plan()
    expect(await runsOf(broken)).toHaveLength(1)
  })

  it('emits each of the four events once, in the transaction of its transition, also across restarts of the worker', async () => {
    const id = await newCheck({ threshold: 2 })
    await runNights(id, [
      'pass',
      'fail',
      'fail',
      'fail',
      'error',
      'error',
      'indeterminate',
      'indeterminate',
      'pass',
      'pass',
    ])
    expect(await eventTypes()).toEqual(['failed', 'error', 'indeterminate', 'recovered'])
    const [failed, , indeterminate] = await eventsOf(db, orgId)
    expect(failed).toMatchObject({
      occurred_at: new Date(START.getTime() + 10 * MINUTE_MS),
      body: { status: 'fail', actor_id: null, app, check: { id } },
    })
    expect(indeterminate!.body).toMatchObject({ status: 'evidence_limit' })
    expect((await runsOf(id)).map(({ verdict }) => verdict).join(' ')).toBe(
      'pass fail fail fail error error indeterminate indeterminate pass pass',
    )
    expect(faults).toEqual([])
  })

  it('NO-03 is silent while it flaps below its threshold', async () => {
    await runNights(await newCheck({ threshold: 2 }), ['fail', 'pass', 'fail', 'pass', 'fail'])
    expect(await eventTypes()).toEqual([])
  })

  it('that breaks by a fault of svc is in error, never failed', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(depsOf(() => Promise.reject(new Error('a bug'))))
    await kind.claim(0, { running: [] })
    clock.advance(2 * MINUTE_MS)
    await runAllJobs(kind)
    expect(await runsOf(id)).toMatchObject([{ verdict: 'error', code: 'internal' }])
    expect(await eventTypes()).toEqual(['error'])
    expect(faults).toMatchObject([{ message: 'a bug' }])
  })

  it('emits nothing and stays as it is if the event cannot be written', async () => {
    const id = await newCheck()
    await plan()
    const unnamed = {
      ...depsOf(() => 'fail'),
      apps: { ...depsOf(() => 'fail').apps, find: async () => ({ ...app, alias: 'Not valid' }) },
    }
    await expect(runAllJobs(runJobs(unnamed))).rejects.toThrow()
    expect(await stateOf(id)).toBe('unknown')
    expect(await runsOf(id)).toMatchObject([{ state: 'running', verdict: null }])
  })

  it('runs once for the slots that passed while no worker ran', async () => {
    const id = await newCheck()
    await plan()
    await runAllJobs(runJobs(depsOf(() => 'pass')))
    clock.advance(62 * MINUTE_MS)
    const next = await plan()
    await runAllJobs(runJobs(depsOf(() => 'pass')))
    expect((await runsOf(id)).map(({ slot }) => slot)).toEqual([START, new Date(START.getTime() + 5 * MINUTE_MS)])
    expect(next).toEqual(new Date(clock.now().getTime() + MINUTE_MS))
    expect((await requireCheck(db, app.id, id)).next_at).toEqual(new Date(START.getTime() + 65 * MINUTE_MS))
  })
})

describe('the result of a run', () => {
  it('does not count if its lease was lost meanwhile', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(depsOf(() => 'fail'))
    const { jobs: first } = await kind.claim(1, { running: [] })
    await db.query(sql`update checks.runs set lease_until = clock_timestamp() - interval '1 second'`)
    const { jobs: second } = await kind.claim(1, { running: [] })
    expect(second[0]!.fence).toBeGreaterThan(first[0]!.fence)
    await kind.run(first[0]!, HELD)
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
    await kind.run(second[0]!, HELD)
    expect([await stateOf(id), await eventTypes()]).toEqual(['fail', ['failed']])
    await kind.run(second[0]!, HELD)
    expect(await eventTypes()).toEqual(['failed'])
  })

  it('NO-19 is an error in the history after the second process died at it, and changes nothing else', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(depsOf(() => 'pass'))
    for (let died = 0; died < 2; died++) {
      await kind.claim(1, { running: [] })
      await db.query(sql`update checks.runs set lease_until = clock_timestamp() - interval '1 second'`)
    }
    await runAllJobs(kind)
    expect(await runsOf(id)).toMatchObject([{ verdict: 'error', code: 'interrupted', attempt: 3 }])
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
  })

  it('is left to another process if this one stops', async () => {
    const id = await newCheck()
    await plan()
    const stopping = new AbortController()
    const kind = runJobs(
      depsOf(() => {
        stopping.abort()
        throw new Error('stopped')
      }),
    )
    const { jobs } = await kind.claim(1, { running: [] })
    await kind.run(jobs[0]!, { ...HELD, signal: stopping.signal })
    expect(await runsOf(id)).toMatchObject([{ state: 'running', verdict: null, attempt: 0 }])
    expect(await runJobs(depsOf(() => 'pass')).claim(1, { running: [] })).toMatchObject({ jobs: [{ attempt: 1 }] })
    expect(faults).toEqual([])
  })

  it.each([
    ['paused', async (id: string) => change(id, { enabled: false, next_at: null })],
    ['changed', async (id: string) => change(id, { version: 2 })],
  ])('stands in the history and changes nothing if the check was %s meanwhile', async (_, meanwhile) => {
    const id = await newCheck()
    await plan()
    const verdict = async () => {
      await meanwhile(id)
      return 'fail' as const
    }
    await runAllJobs(runJobs(depsOf(verdict)))
    expect(await runsOf(id)).toMatchObject([{ state: 'ended', verdict: 'fail' }])
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
  })

  it('is nobody’s if the check or its app is gone', async () => {
    const [removed, ofGoneApp] = [await newCheck(), await newCheck()]
    await plan()
    await db.tx((tx) => removeCheck(tx, removed))
    const deps = depsOf(() => 'fail')
    await runAllJobs(runJobs({ ...deps, apps: { ...deps.apps, find: async () => undefined } }))
    expect([await runsOf(removed), await runsOf(ofGoneApp)]).toEqual([[], []])
    expect(await eventTypes()).toEqual([])
  })

  const change = (id: string, over: object) =>
    db.tx(async (tx) => updateCheck(tx, { ...(await lockCheck(tx, id)), ...over }))
})

describe('a run', () => {
  it('is left to the process that hosts the app of its check', async () => {
    const [asking, counting] = [await newCheck(), await newCheck()]
    await db.query(sql`update checks.checks set definition = ${JSON.stringify(LOG)} where id = ${counting}`)
    await plan()
    const deps = depsOf(() => 'pass')
    const elsewhere = { ...deps.probe, hostedElsewhere: async (ids: readonly string[]) => new Set(ids) }
    await runAllJobs(runJobs({ ...deps, probe: elsewhere }))
    expect(await runsOf(asking)).toMatchObject([{ state: 'queued' }])
    expect(await runsOf(counting)).toMatchObject([{ state: 'queued' }])
    await runAllJobs(runJobs(deps))
    expect(await runsOf(asking)).toMatchObject([{ state: 'ended', verdict: 'pass' }])
    expect(await runsOf(counting)).toMatchObject([{ state: 'ended', verdict: 'pass' }])
  })

  it('is looked for every 15 seconds while one is open, and seldom while none is', async () => {
    const nextIn = async (jobs: ReturnType<typeof runJobs>) => (await jobs.claim(8, { running: [] })).nextInSeconds
    const deps = depsOf(() => 'pass')
    expect(await nextIn(runJobs(deps))).toBeUndefined()
    const id = await newCheck()
    await plan()
    const elsewhere = { ...deps.probe, hostedElsewhere: async (ids: readonly string[]) => new Set(ids) }
    expect(await nextIn(runJobs({ ...deps, probe: elsewhere }))).toBe(15)
    expect(await nextIn(runJobs(deps))).toBe(15)
    expect(await runsOf(id)).toMatchObject([{ state: 'running' }])
    expect(await nextIn(createJobs(deps, 'agent'))).toBe(15)
  })

  it('of a check that asks a model runs in slots of its own', async () => {
    const id = await newCheck()
    const AGENT = { kind: 'agent', instructions: 'Judge.', model: 'a/b', window_minutes: 15, level: null, path: null }
    await db.query(sql`update checks.checks set definition = ${JSON.stringify(AGENT)} where id = ${id}`)
    await plan()
    const deps = depsOf(() => 'pass')
    await runAllJobs(createJobs(deps, 'other'))
    expect(await runsOf(id)).toMatchObject([{ state: 'queued' }])
    await runAllJobs(createJobs(deps, 'agent'))
    expect(await runsOf(id)).toMatchObject([{ state: 'ended', verdict: 'error', code: 'model_unknown' }])
  })

  it('that is given back waits again, and one that waits behind a running one begins after it', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(depsOf(() => 'pass'))
    await kind.release((await kind.claim(1, { running: [] })).jobs)
    expect(await runsOf(id)).toMatchObject([{ state: 'queued', attempt: 0 }])
    const { jobs } = await kind.claim(1, { running: [] })
    expect(await kind.renew(jobs)).toHaveLength(1)
    await db.tx((tx) => queueRuns(tx, [manual(id)]))
    expect((await kind.claim(1, { running: [] })).jobs).toEqual([])
    await kind.run(jobs[0]!, HELD)
    expect((await kind.claim(1, { running: [] })).jobs).toHaveLength(1)
  })

  it('is deleted when it is too old, and when its check is gone', async () => {
    const [remaining, gone] = [await newCheck(), await newCheck()]
    await plan()
    await runAllJobs(runJobs(depsOf(() => 'pass')))
    await db.tx((tx) => removeCheck(tx, gone))
    const retention = retentionLoop({ db, keepDays: 30 })
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * MINUTE_MS)
    await retention.tick(inDays(29), HELD.signal)
    expect([await runsOf(remaining), await runsOf(gone)]).toMatchObject([[{ verdict: 'pass' }], []])
    await retention.tick(inDays(31), HELD.signal)
    expect(await runsOf(remaining)).toEqual([])
  })

  const manual = (check_id: string) => ({
    id: newId('ckr'),
    check_id,
    org_id: orgId,
    app_id: app.id,
    trigger: 'manual' as const,
    slot: null,
    requested_by: null,
    created_at: clock.now(),
  })
})

needs('postgres')('checks among several workers', () => {
  it('each slot runs once and each transition is reported once, however many plan and claim at the same time', async () => {
    const pools = Array.from({ length: 4 }, () => openPostgres({ url: opened.url!, onError: () => undefined }))
    const ids = await Promise.all(Array.from({ length: 12 }, () => newCheck()))
    let ran = 0
    const verdict = () => {
      ran += 1
      return 'fail' as const
    }
    for (let slot = 0; slot < 3; slot++) {
      await Promise.all(
        pools.map(async (pool) => {
          await plan(pool)
          await runAllJobs(runJobs(depsOf(verdict, { db: pool })))
        }),
      )
      clock.advance(5 * MINUTE_MS)
    }
    await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()))
    expect(ran).toBe(36)
    expect(await eventTypes()).toEqual(Array(12).fill('failed'))
    for (const id of ids) expect((await runsOf(id)).map(({ verdict: one }) => one)).toEqual(['fail', 'fail', 'fail'])
  })
})

describe('NO-19 a restart of svc', () => {
  const restarting = (isServed: boolean) => ({ restarts: async () => new Map([[app.id, { isServed }]]) })
  const probing = (verdict: () => Verdict, over: Partial<RunDeps['probe']>): RunDeps => {
    const deps = depsOf(verdict)
    return { ...deps, probe: { ...deps.probe, ...over } }
  }
  /** Lets that much time of the database pass for what is held back. */
  const passed = (seconds: number) =>
    db.query(sql`update checks.runs set held_until = held_until - make_interval(secs => ${seconds})`)
  const setKind = (id: string, definition: CheckDefinition) =>
    db.query(sql`update checks.checks set definition = ${JSON.stringify(definition)} where id = ${id}`)

  it('holds the run of a check until its app answers, and reads its log only after the two minutes', async () => {
    const [asking, counting] = [await newCheck(), await newCheck()]
    await setKind(counting, LOG)
    await plan()
    await runAllJobs(runJobs(probing(() => 'fail', restarting(false))))
    expect([await runsOf(asking), await runsOf(counting)]).toMatchObject([[{ state: 'queued' }], [{ state: 'queued' }]])
    await runAllJobs(runJobs(probing(() => 'pass', restarting(true))))
    expect([await stateOf(asking), await stateOf(counting)]).toEqual(['pass', 'unknown'])
    await runAllJobs(runJobs(depsOf(() => 'pass')))
    expect([await stateOf(counting), await eventTypes()]).toEqual(['pass', []])
  })

  it('does not hide an outage that lasts: what is held fails when the two minutes are over', async () => {
    const id = await newCheck()
    await plan()
    await runAllJobs(runJobs(probing(() => 'fail', restarting(false))))
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
    await runAllJobs(runJobs(depsOf(() => 'fail')))
    expect([await stateOf(id), await eventTypes()]).toEqual(['fail', ['failed']])
  })

  it('holds a run back for two minutes in all, however often svc is restarted', async () => {
    const [asking, counting] = [await newCheck(), await newCheck()]
    await setKind(counting, LOG)
    await plan()
    const restartAgain = () => runAllJobs(runJobs(probing(() => 'fail', restarting(false))))
    await restartAgain()
    await passed(119)
    await restartAgain()
    expect([await stateOf(asking), await stateOf(counting), await eventTypes()]).toEqual(['unknown', 'unknown', []])
    await passed(1)
    await restartAgain()
    expect([await stateOf(asking), await stateOf(counting)]).toEqual(['fail', 'pass'])
    expect(await eventTypes()).toEqual(['failed'])
  })

  it('holds a run back anew that nobody could begin since for ten minutes, such as while a machine is off', async () => {
    const id = await newCheck()
    await plan()
    await runAllJobs(runJobs(probing(() => 'fail', restarting(false))))
    await passed(120 + 600)
    await runAllJobs(runJobs(probing(() => 'fail', restarting(false))))
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
  })

  it('does not postpone a run for ever that finds its app restarting, or its own process just started', async () => {
    const gone = runJobs(probing(() => 'fail', { get: async () => ({ type: 'restarting' }) }))
    const broken = runJobs(
      depsOf(() => {
        throw new Error('a service does not answer yet')
      }),
    )
    for (const [kind, code] of [
      [gone, 'not_running'],
      [broken, 'internal'],
    ] as const) {
      const id = await newCheck()
      await plan()
      await runAllJobs(kind)
      await db.query(sql`update checks.runs set lease_until = clock_timestamp() where state = 'running'`)
      await passed(120)
      await runAllJobs(kind)
      expect(await runsOf(id)).toMatchObject([{ state: 'ended', code }])
      clock.advance(5 * MINUTE_MS)
    }
  })

  it('does not hide an app that answered since and fails by itself', async () => {
    const id = await newCheck()
    await plan()
    await runAllJobs(runJobs(probing(() => 'fail', restarting(true))))
    expect([await stateOf(id), await eventTypes()]).toEqual(['fail', ['failed']])
  })

  it('leaves a check that failed before as it is, neither failed again nor recovered', async () => {
    const id = await newCheck()
    await runNights(id, ['fail'])
    await setKind(id, LOG)
    await plan()
    await runAllJobs(runJobs(probing(() => 'pass', restarting(true))))
    expect([await stateOf(id), await eventTypes()]).toEqual(['fail', ['failed']])
  })

  it('lets a run be begun again that found the app gone, without counting the attempt', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(probing(() => 'fail', { get: async () => ({ type: 'restarting' }) }))
    await runAllJobs(kind)
    expect(await runsOf(id)).toMatchObject([{ state: 'running', verdict: null, attempt: 0 }])
    expect([await stateOf(id), await eventTypes()]).toEqual(['unknown', []])
    await db.query(sql`update checks.runs set lease_until = clock_timestamp()`)
    await runAllJobs(runJobs(depsOf(() => 'pass')))
    expect(await runsOf(id)).toMatchObject([{ state: 'ended', verdict: 'pass', attempt: 1 }])
  })

  it('is no reason for an error of a check in its first two minutes, but for one that lasts', async () => {
    const id = await newCheck()
    await plan()
    const kind = runJobs(
      depsOf(() => {
        throw new Error('a service does not answer yet')
      }),
    )
    for (const [minutes, state, events] of [
      [1, 'unknown', []],
      [1, 'unknown', []],
      [0, 'error', ['error']],
    ] as const) {
      await runAllJobs(kind)
      expect([await stateOf(id), await eventTypes()]).toEqual([state, events])
      await db.query(sql`update checks.runs set lease_until = clock_timestamp() where state = 'running'`)
      clock.advance(minutes * MINUTE_MS)
    }
  })
})
