import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import { callFunction } from '#contract/functions.ts'
import { type ReportedResult, reportResults } from '#contract/workers.ts'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'
import { CALLS_CHANNEL } from '../calls/channels.ts'

const GREET = { name: 'greet', input_schema: { type: 'object' } }

const call = (app: TestApp, system?: System) =>
  (system?.client(app.token) ?? app.client).call(callFunction, { alias: app.alias, name: 'greet' })

type Connected = Awaited<ReturnType<typeof connectRawWorker>>

async function report(worker: Connected, output: unknown): Promise<string> {
  const { call_id, fence } = await worker.nextCall()
  await worker.report({ call_id, fence, output })
  return call_id
}

/** Connects a worker that has been given a call that was queued, from which on it can be given calls at once. */
async function connectReady(app: TestApp, over: object = {}): Promise<Connected> {
  const worker = await connectRawWorker(app.client, app.alias, { functions: [GREET], ...over })
  await Promise.all([call(app), report(worker, 0)])
  return worker
}

/** Answers every call with the id of the worker, each a little later. Says how many it had at once, and which. */
function serve(worker: Connected) {
  const grants: string[] = []
  let running = 0
  let most = 0
  const answer = async ({ call_id, fence }: ReportedResult) => {
    await new Promise(setImmediate)
    // Counted before the report, because the place is free as soon as that arrives.
    running--
    await worker.report({ call_id, fence, output: worker.worker_id })
  }
  const reports: Promise<void>[] = []
  const run = async () => {
    for (;;) {
      const { call_id, fence } = await worker.nextCall()
      grants.push(`${call_id} ${fence}`)
      most = Math.max(most, ++running)
      reports.push(answer({ call_id, fence }))
    }
  }
  void run().catch(() => undefined)
  return { grants, most: () => most, reported: () => Promise.all(reports) }
}

describe('a call whose worker is connected to the process that takes the call', () => {
  let database: TestDatabase
  let system: System
  let app: TestApp
  /** Refuses the answer to the next insertion of a call, after it was committed. */
  let losesAnswer = false
  /** Runs before the next statement that ends a call. */
  let beforeEnd: (() => Promise<void>) | undefined
  beforeAll(async () => {
    database = await openTestDatabase()
    const query: Db['query'] = async <Row>(statement: Parameters<Db['query']>[0]) => {
      if (statement.text.includes('delete from pipelines.calls')) {
        const hold = beforeEnd
        beforeEnd = undefined
        await hold?.()
      }
      const rows = await database.db.query<Row>(statement)
      if (!losesAnswer || !statement.text.includes('insert into pipelines.calls')) return rows
      losesAnswer = false
      throw new DatabaseUnavailable('the answer was lost', { cause: undefined })
    }
    system = await startSystem({ on: { db: { ...database.db, query }, databaseUrl: database.url } })
  })
  beforeEach(async () => {
    app = await newApp(system)
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })
  const states = () =>
    database.db.query<{ state: string; worker_id: string | null }>(sql`
      select state, worker_id from pipelines.calls where org_id = ${app.org_id} order by id`)

  it.each([1, 10])('is given to it as it is inserted, and wakes nobody else; it has %i places', async (concurrency) => {
    await using one = await connectReady(app, { concurrency })
    const woken: string[] = []
    await using _ = await database.db.listen(CALLS_CHANNEL, (payload) => void woken.push(payload))
    for (let i = 0; i < 10; i++) {
      const answer = call(app)
      const { call_id, fence, seconds_left } = await one.nextCall()
      expect(seconds_left).toBe(30)
      void one.report({ call_id, fence, output: i })
      expect(await answer).toEqual({ call_id, result: i })
    }
    await notify(database.db, CALLS_CHANNEL, 'the last')
    await until(async () => woken.includes('the last'))
    expect(woken).toEqual(['the last'])
  })

  it('is answered before its end is on disk, and its worker is told of the end after that', async () => {
    await using one = await connectReady(app)
    const onDisk = Promise.withResolvers<void>()
    beforeEnd = () => onDisk.promise
    const answer = call(app)
    const { call_id, fence } = await one.nextCall()
    const reported = one.report({ call_id, fence, output: 1 })
    expect(await answer).toEqual({ call_id, result: 1 })
    expect(await states()).toEqual([{ state: 'running', worker_id: one.worker_id }])
    onDisk.resolve()
    expect(await reported).toEqual({ accepted: [call_id], refused: [] })
    expect(await states()).toEqual([])
  })

  it('is ended by the second report of its worker if the first end was lost', async () => {
    await using one = await connectReady(app)
    beforeEnd = () => Promise.reject(new DatabaseUnavailable('the end was lost', { cause: undefined }))
    const answer = call(app)
    const { call_id, fence } = await one.nextCall()
    const result = { call_id, fence, output: 1 }
    await expect(one.report(result)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await answer).toEqual({ call_id, result: 1 })
    expect(await one.report(result)).toEqual({ accepted: [call_id], refused: [] })
    expect((await states()).filter(({ state }) => state === 'running')).toEqual([])
  })

  it('is not answered by somebody else of the organization, nor under another fence', async () => {
    await using one = await connectReady(app)
    const { token } = await system.member('developer', app.org_id)
    const other = system.client(token)
    const answer = call(app)
    const { call_id, fence } = await one.nextCall()
    const forge = (client: typeof other, as: object) => {
      const results = [{ call_id, fence, output: 'forged', ...as }]
      return client.call(reportResults, { alias: app.alias, worker_id: one.worker_id, results })
    }
    await expect(forge(other, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await forge(app.client, { fence: fence + 1 })).toEqual({ accepted: [], refused: [call_id] })
    await one.report({ call_id, fence, output: 'real' })
    expect(await answer).toEqual({ call_id, result: 'real' })
  })

  it('is checked by the schema that its worker registered last, and is on record once', async () => {
    const one = await connectReady(app)
    const again = (input_schema: Record<string, unknown>) =>
      connectRawWorker(app.client, app.alias, { functions: [{ ...GREET, input_schema }], worker_id: one.worker_id })
    const strict = await again({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] })
    await expect(call(app)).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: 'arguments.n: is missing' })
    await using lenient = await again(GREET.input_schema)
    const [answer] = await Promise.all([call(app), report(lenient, 1)])
    expect(answer.result).toBe(1)
    const { items } = await app.client.call(listActivity, {})
    expect(items).toHaveLength(3)
    await Promise.all([one.close(), strict.close()])
  })

  it('waits for a free place, behind the calls that wait already', async () => {
    await using one = await connectReady(app, { concurrency: 1 })
    const answers = [call(app)]
    const { call_id, fence } = await one.nextCall()
    for (const count of [2, 3]) {
      answers.push(call(app))
      await until(async () => (await states()).length === count)
    }
    expect((await states()).map(({ state }) => state)).toEqual(['running', 'queued', 'queued'])
    await one.report({ call_id, fence, output: 1 })
    const order = [call_id, await report(one, 2), await report(one, 3)]
    expect((await Promise.all(answers)).map((answer) => answer.call_id)).toEqual(order)
  })

  it('goes to each of several workers, and to none that stops', async () => {
    await using one = await connectReady(app)
    await using two = await connectRawWorker(app.client, app.alias, { functions: [GREET] })
    const [from, to] = [serve(one), serve(two)]
    await until(async () => {
      await Promise.all([call(app), call(app)])
      return from.grants.length > 0 && to.grants.length > 0
    })
    await one.heartbeat([], true)
    const later = await Promise.all([call(app), call(app), call(app)])
    expect(later.map(({ result }) => result)).toEqual(later.map(() => two.worker_id))
  })

  it('is sent after its worker has connected again, if svc did not learn that the call was inserted', async () => {
    const first = await connectReady(app)
    losesAnswer = true
    await expect(call(app)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await states()).toEqual([{ state: 'running', worker_id: first.worker_id }])
    await expect(first.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await using again = await connectRawWorker(app.client, app.alias, {
      functions: [GREET],
      worker_id: first.worker_id,
    })
    expect(again.worker_id).toBe(first.worker_id)
    const { call_id, fence } = await again.nextCall()
    expect(await again.report({ call_id, fence, output: 1 })).toEqual({ accepted: [call_id], refused: [] })
  })
})

needs('postgres')('calls at two processes at once', () => {
  let database: TestDatabase
  let system: System
  let other: System
  let app: TestApp
  let held: { reached: () => void; released: Promise<void> } | undefined
  /** Keeps the next insertion of a call from its commit. */
  const holdInsertion = () => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    held = { reached: reached.resolve, released: released.promise }
    return { reached: reached.promise, release: released.resolve }
  }
  const query: Db['query'] = async <Row>(statement: Parameters<Db['query']>[0]) => {
    const { db } = database
    const holding = held
    if (!holding || !statement.text.includes('insert into pipelines.calls')) return db.query<Row>(statement)
    held = undefined
    return db.tx(async (tx) => {
      const rows = await tx.query<Row>(statement)
      holding.reached()
      await holding.released
      return rows
    })
  }
  const statesOf = ({ worker_id }: Connected) =>
    database.db.query<{ state: string }>(sql`
      select state from pipelines.calls where app_id = (select app_id from pipelines.workers where id = ${worker_id})
      order by state`)
  const waitsForLock = async (db: Db) =>
    (
      await db.query(sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
    ).length
  beforeAll(async () => {
    const key = () => randomBytes(32).toString('hex')
    const env = { SVC_JWT_SECRET: key(), SVC_DATA_KEY: key(), SVC_INTERNAL_SECRET: key() }
    database = await openTestDatabase()
    system = await startSystem({ env, on: { db: { ...database.db, query }, databaseUrl: database.url } })
    const { jwtSigningKey } = system.config.secrets
    other = await startSystem({ on: system, env: { ...env, SVC_JWT_SIGNING_KEY: jwtSigningKey } })
  })
  beforeEach(async () => {
    app = await newApp(system)
  })
  afterAll(async () => {
    await other?.[Symbol.asyncDispose]()
    await system?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('run once each, and no worker has more of them than places', async () => {
    const connect = (at: System) =>
      connectRawWorker(at.client(app.token), app.alias, { functions: [GREET], concurrency: 2 })
    await using one = await connect(system)
    await using two = await connect(system)
    await using three = await connect(other)
    // They send no heartbeats.
    await system.db.query(sql`update pipelines.workers set expires_at = clock_timestamp() + interval '1 hour'`)
    const served = [one, two, three].map(serve)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => call(app, i % 2 === 0 ? system : other).catch((error: unknown) => error)),
    )
    await Promise.all(served.map(({ reported }) => reported()))
    const ids = answers.map((answer) => (answer as { call_id: string }).call_id)
    const grants = served.flatMap((worker) => worker.grants)
    expect(grants.map((grant) => grant.split(' ')[0]!).sort()).toEqual(ids.sort())
    for (const { most } of served) expect(most()).toBeLessThanOrEqual(2)
    expect(await system.db.query(sql`select from pipelines.calls`)).toEqual([])
  })

  it('share the last place of a worker only one after the other, whether they are inserted or wait', async () => {
    const { db } = system
    await using one = await connectReady(app, { concurrency: 1 })
    const insertion = holdInsertion()
    const answer = call(app)
    await insertion.reached
    await db.query(sql`
      insert into pipelines.calls
        (id, org_id, app_id, kind, name, input, repeatable, state, created_at, deadline)
      select 'call_' || id, org_id, app_id, 'function', 'greet', 'x', false, 'queued', now(), now() + interval '1 hour'
      from pipelines.workers where id = ${one.worker_id}`)
    const heard = Promise.withResolvers<void>()
    await using _ = await db.listen(CALLS_CHANNEL, () => heard.resolve())
    await db.query(sql`select pg_notify(${CALLS_CHANNEL}, app_id) from pipelines.workers where id = ${one.worker_id}`)
    await heard.promise
    // A claim that began now has reached the database before the answers to these.
    for (let i = 0; i < 20; i++) await db.query(sql`select 1`)
    insertion.release()
    const { call_id, fence } = await one.nextCall()
    expect((await statesOf(one)).map(({ state }) => state)).toEqual(['queued', 'running'])
    await db.query(sql`delete from pipelines.calls where state = 'queued'`)
    await one.report({ call_id, fence, output: 1 })
    expect(await answer).toMatchObject({ result: 1 })
  })

  it('wait for no worker whose row another transaction holds, such as one that connects again', async () => {
    const { db } = system
    const neighbour = await newApp(system)
    await using stuck = await connectReady(app)
    await using free = await connectReady(neighbour)
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const lock = db.tx(async (tx) => {
      await tx.query(sql`select from pipelines.workers where id = ${stuck.worker_id} for update`)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const answers = [call(app)]
    await until(async () => (await statesOf(stuck)).length === 1)
    // The call that was queued lets the stream claim, which waits for the row and has the turn.
    await until(async () => (await waitsForLock(db)) === 1)
    answers.push(call(app))
    await Promise.all([call(neighbour), report(free, 'at once')])
    expect((await statesOf(stuck)).map(({ state }) => state)).toEqual(['queued', 'queued'])
    released.resolve()
    await lock
    await Promise.all([report(stuck, 1), report(stuck, 2)])
    expect(new Set((await Promise.all(answers)).map(({ result }) => result))).toEqual(new Set([1, 2]))
  })

  it('are all answered while a worker moves from one to the other', async () => {
    const connect = (at: System, over: object = {}) =>
      connectRawWorker(at.client(app.token), app.alias, { functions: [GREET], concurrency: 3, ...over })
    let worker = await connect(system)
    const grants: string[] = []
    for (let round = 0; round < 20; round++) {
      const answers = Array.from({ length: 6 }, (_, i) => call(app, i % 2 === 0 ? system : other))
      // It has received none of them, so those that it was given come again over the next stream.
      const next = await connect(round % 2 === 0 ? other : system, { worker_id: worker.worker_id })
      expect(next.worker_id).toBe(worker.worker_id)
      await worker.close()
      worker = next
      for (const _ of answers) {
        const { call_id, fence } = await worker.nextCall()
        grants.push(call_id)
        await worker.report({ call_id, fence, output: round })
      }
      expect((await Promise.all(answers)).map(({ result }) => result)).toEqual(answers.map(() => round))
    }
    expect(new Set(grants).size).toBe(grants.length)
    await worker.close()
  })
})
