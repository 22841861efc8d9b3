import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { listenUntilTestEnds } from '#test/listen.ts'
import { startSweep } from '#test/work/start-sweep.ts'
import { register } from '../workers/register.ts'
import { resumeWorker } from '../workers/store.ts'
import { STREAMS_CHANNEL } from './channels.ts'
import { enqueue, newCall } from './enqueue.ts'
import { endCalls } from './finish.ts'
import type { CallKindHooks } from './kinds.ts'
import { extendReconnects } from './reconnect-store.ts'
import { isServed } from './served-store.ts'
import { claimCalls, insertCalls, lockRunning } from './store.ts'
import { sweepLoop } from './sweep.ts'
import { WaitingCalls } from './waiting.ts'

const sealer = createSealer([randomBytes(32).toString('hex')])
const signal = new AbortController().signal
const START = new Date('2026-06-01T12:00:00Z')
const ABOUT = { principalId: 'tok_1', sdkVersion: '0.0.18', concurrency: 1 }

describe('calls of workers', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const ended: unknown[] = []
  const pipelines: CallKindHooks = {
    finished: async (tx, { reference }, result) => {
      // Proves that the hook runs in the transaction that ends the call.
      const rows = await tx.query(sql`select from pipelines.calls where reference = ${reference}`)
      ended.push([reference, rows.length, result.ok ? 'ok' : result.code])
    },
  }
  const sweepDeps = () => ({
    db: database.db,
    sealer,
    pipelines,
    onError: (error: unknown) => {
      throw error
    },
  })
  const sweep = async () => (await startSweep(sweepDeps()))()

  /** An app with a worker that serves the pipeline `nightly` and the function `greet`, of one place each. */
  const setUp = async () => {
    const { db } = database
    const app = { orgId: newId('org'), appId: newId('app'), principalId: 'tok_1' }
    await db.query(sql`
      insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
      values (${app.appId}, ${app.orgId}, 'shop', 'Shop', ${app.appId}, '/', 'active', 'usr_1', now())`)
    const input = {
      alias: 'shop',
      calls: [],
      sdk_version: '0.0.18',
      concurrency: 1,
      functions: [],
      pipelines: [
        {
          name: 'nightly',
          description: '',
          schedule: null,
          timezone: 'UTC',
          concurrency: 'skip' as const,
          timeout_seconds: 60,
        },
      ],
    }
    const worker = await db.tx((tx) => register(tx, app, input, pipelines))
    const ask = (reference: string, over: { repeatable?: boolean; timeoutSeconds?: number } = {}) =>
      db.tx((tx) =>
        enqueue(tx, sealer, {
          ...app,
          kind: 'pipeline',
          name: 'nightly',
          reference,
          input: {},
          timeoutSeconds: 60,
          ...over,
        }),
      )
    const claim = () => db.tx((tx) => claimCalls(tx, 'pipeline', { workerId: worker.id, stream: worker.stream }))
    const lose = () =>
      db.query(sql`update pipelines.workers set expires_at = clock_timestamp() where id = ${worker.id}`)
    const outcomeOf = (reference: string) => ended.filter((one) => (one as string[])[0] === reference)
    return { app, worker, ask, claim, lose, outcomeOf }
  }

  it('are given to a worker in their order, no more than it has places for', async () => {
    const { ask, claim } = await setUp()
    const first = await ask('plr_a1')
    await ask('plr_a2')
    expect((await claim()).map(({ id }) => id)).toEqual([first])
    expect(await claim()).toEqual([])
  })

  it('run the hook of their kind in the transaction that ends them, and leave no row', async () => {
    const { worker, ask, claim, outcomeOf } = await setUp()
    const id = await ask('plr_b')
    await claim()
    await database.db.tx(async (tx) => {
      const [call] = await lockRunning(tx, worker.id, [id])
      await endCalls(tx, { sealer, pipelines }, [{ call: call!, result: { ok: true, output: 1 } }], () => false)
    })
    expect(outcomeOf('plr_b')).toEqual([['plr_b', 1, 'ok']])
    expect(await database.db.query(sql`select from pipelines.calls where id = ${id}`)).toEqual([])
  })

  it('end with WORKER_LOST when their worker is lost, once, and are not run again', async () => {
    const { ask, claim, lose, outcomeOf } = await setUp()
    await ask('plr_c')
    await claim()
    await lose()
    await sweep()
    await sweep()
    expect(outcomeOf('plr_c')).toEqual([['plr_c', 1, 'WORKER_LOST']])
  })

  it('NO-19 go on with their worker if it connects again within two minutes of a restart', async () => {
    const { app, worker, ask, claim, lose, outcomeOf } = await setUp()
    await ask('plr_r1')
    await claim()
    await ask('plr_r2')
    await database.db.query(sql`update pipelines.calls set created_at = now() - interval '61 seconds'`)
    await lose()
    // The sweep of a process that has just started.
    const restarted = sweepLoop(sweepDeps())
    const [start, before, after] = [0, 119_999, 120_000].map((ms) => new Date(START.getTime() + ms))
    await restarted.tick(start!, signal)
    expect([outcomeOf('plr_r1'), outcomeOf('plr_r2')]).toEqual([[], []])
    const back = await database.db.tx((tx) => resumeWorker(tx, { ...app, ...ABOUT, id: worker.id }))
    expect(back).toMatchObject({ id: worker.id })
    for (const at of [before, after]) await restarted.tick(at!, signal)
    expect([outcomeOf('plr_r1'), outcomeOf('plr_r2')]).toEqual([[], []])
  })

  it('NO-19 of a worker that stays away after a restart end when the two minutes are over', async () => {
    const { ask, claim, lose, outcomeOf } = await setUp()
    await ask('plr_s')
    await claim()
    await lose()
    const restarted = sweepLoop(sweepDeps())
    for (const [ms, outcomes] of [
      [0, []],
      [60_000, []],
      [119_999, []],
      [120_000, [['plr_s', 1, 'WORKER_LOST']]],
    ] as const) {
      await restarted.tick(new Date(START.getTime() + ms), signal)
      expect(outcomeOf('plr_s')).toEqual(outcomes)
    }
  })

  it('NO-19 wait two minutes in all for a worker that stays away, however often svc is restarted meanwhile', async () => {
    const { app, worker, ask, claim, lose, outcomeOf } = await setUp()
    await ask('plr_u')
    await claim()
    const restart = () => sweepLoop(sweepDeps()).tick(START, signal)
    const passSeconds = (seconds: number) =>
      database.db.query(sql`
        update pipelines.workers set held_until = held_until - make_interval(secs => ${seconds}) where id = ${worker.id}`)
    await lose()
    await restart()
    await passSeconds(119)
    await restart()
    expect(outcomeOf('plr_u')).toEqual([])
    // One that came back is awaited anew.
    await database.db.tx((tx) => resumeWorker(tx, { ...app, ...ABOUT, id: worker.id }))
    await lose()
    await restart()
    expect(outcomeOf('plr_u')).toEqual([])
    await passSeconds(120)
    await restart()
    expect(outcomeOf('plr_u')).toEqual([['plr_u', 1, 'WORKER_LOST']])
  })

  it('NO-19 wait also for the restart of another process, which holds the streams', async () => {
    const { ask, claim, lose, outcomeOf } = await setUp()
    await ask('plr_t')
    await claim()
    await lose()
    await extendReconnects(database.db)
    await sweep()
    expect(outcomeOf('plr_t')).toEqual([])
    await database.db.query(sql`delete from pipelines.reconnects`)
    await sweep()
    expect(outcomeOf('plr_t')).toEqual([['plr_t', 1, 'WORKER_LOST']])
  })

  it('wait for another worker when theirs is lost and they are repeatable', async () => {
    const { app, ask, claim, lose, outcomeOf } = await setUp()
    const id = await ask('plr_d', { repeatable: true })
    const [first] = await claim()
    await lose()
    await sweep()
    expect(outcomeOf('plr_d')).toEqual([])
    const [row] = await database.db.query<{ state: string }>(sql`select state from pipelines.calls where id = ${id}`)
    expect(row).toEqual({ state: 'queued' })
    expect(await isServed(database.db, app.appId, 'pipeline', 'nightly')).toBe(false)
    expect(first).toMatchObject({ id })
  })

  it('end with TIMEOUT after their deadline, queued or running', async () => {
    const { ask, claim, outcomeOf } = await setUp()
    await ask('plr_e1', { timeoutSeconds: 3 })
    await claim()
    await ask('plr_e2', { timeoutSeconds: 3 })
    await database.db.query(sql`
      update pipelines.calls set deadline = clock_timestamp() - interval '2 seconds'
      where reference in ('plr_e1', 'plr_e2')`)
    await sweep()
    expect([...outcomeOf('plr_e1'), ...outcomeOf('plr_e2')]).toEqual([
      ['plr_e1', 1, 'TIMEOUT'],
      ['plr_e2', 1, 'TIMEOUT'],
    ])
  })

  it('are looked at every five seconds while there are any, and until then when a worker can be lost', async () => {
    const { ask, worker } = await setUp()
    const others = sql`delete from pipelines.calls where worker_id is distinct from ${worker.id}`
    await database.db.query(others)
    await database.db.query(sql`
      update pipelines.workers set expires_at = clock_timestamp() + interval '1 hour'
        * case when id = ${worker.id} then 0.005 else 1 end`)
    const loop = sweepLoop(sweepDeps())
    const waitMs = async () => (await loop.tick(START, signal)).getTime() - START.getTime()
    const idle = await waitMs()
    expect(idle).toBeGreaterThan(5_000)
    expect(idle).toBeLessThanOrEqual(18_000)
    const notifications = await listenUntilTestEnds(database.db, STREAMS_CHANNEL)
    await ask('plr_l')
    expect(await notifications.until(1)).toEqual([''])
    expect(await waitMs()).toBeLessThanOrEqual(5_000)
  })

  it('are taken away without the hook when nobody waits for them', async () => {
    const { ask, claim, outcomeOf } = await setUp()
    await using waiting = new WaitingCalls({ db: database.db, sealer })
    const id = await ask('plr_f')
    await claim()
    expect(await waiting.cancel(id)).toBeUndefined()
    expect(await database.db.query(sql`select from pipelines.calls where id = ${id}`)).toEqual([])
    await sweep()
    expect(outcomeOf('plr_f')).toEqual([])
  })

  it('that svc gave to a worker but never sent are lost with the worker, or wait for another if they are repeatable', async () => {
    const { app, worker, lose, outcomeOf } = await setUp()
    await database.db.query(sql`update pipelines.workers set concurrency = 2 where id = ${worker.id}`)
    const asked = { ...app, kind: 'pipeline' as const, name: 'nightly', input: {}, timeoutSeconds: 60 }
    const calls = [false, true, false].map((repeatable, i) => ({
      ...newCall(sealer, { ...asked, repeatable, reference: `plr_k${i}` }),
      grant: { workerId: worker.id, stream: worker.stream },
    }))
    const given = await insertCalls(database.db, calls)
    expect(given.map(({ id }) => id)).toEqual(calls.slice(0, 2).map(({ id }) => id))
    // The process ends here, before it has sent them.
    await lose()
    await sweep()
    expect(['plr_k0', 'plr_k1', 'plr_k2'].map(outcomeOf)).toEqual([[['plr_k0', 1, 'WORKER_LOST']], [], []])
    const waiting = await database.db.query(sql`
      select reference from pipelines.calls where app_id = ${app.appId} and state = 'queued' order by id`)
    expect(waiting).toEqual([{ reference: 'plr_k1' }, { reference: 'plr_k2' }])
  })

  it('are not given as they are inserted to a stream that the worker has replaced, nor to a lost worker', async () => {
    const { app, worker, lose } = await setUp()
    const give = async (stream: number) => {
      const asked = { ...app, kind: 'pipeline' as const, name: 'nightly', input: {}, timeoutSeconds: 60 }
      return insertCalls(database.db, [{ ...newCall(sealer, asked), grant: { workerId: worker.id, stream } }])
    }
    const next = await database.db.tx((tx) => resumeWorker(tx, { ...app, ...ABOUT, id: worker.id }))
    expect(await give(worker.stream)).toEqual([])
    await database.db.query(sql`delete from pipelines.calls where app_id = ${app.appId}`)
    expect(await give(next!.stream)).toHaveLength(1)
    await database.db.query(sql`delete from pipelines.calls where app_id = ${app.appId}`)
    await lose()
    expect(await give(next!.stream)).toEqual([])
  })

  it('count as served only while a worker that serves the name is not lost', async () => {
    const { app, lose } = await setUp()
    expect(await isServed(database.db, app.appId, 'pipeline', 'nightly')).toBe(true)
    expect(await isServed(database.db, app.appId, 'function', 'nightly')).toBe(false)
    await lose()
    expect(await isServed(database.db, app.appId, 'pipeline', 'nightly')).toBe(false)
  })

  it('are not given to a stream that the worker has replaced', async () => {
    const { app, worker, ask, claim } = await setUp()
    await ask('plr_g')
    const input = {
      alias: 'shop',
      worker_id: worker.id,
      calls: [],
      sdk_version: '0.0.18',
      concurrency: 1,
      functions: [],
      pipelines: [],
    }
    const next = await database.db.tx((tx) => register(tx, app, input, pipelines))
    expect(next.id).toBe(worker.id)
    expect(await claim()).toEqual([])
  })
})
