import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteApp } from '#contract/apps/apps.ts'
import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  readPipeline,
  readPipelineRun,
  readPipelineRunLog,
  runPipeline,
} from '#contract/pipelines.ts'
import { reportLogs } from '#contract/workers.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'
import { createWorker } from '../../../worker-sdk/index.ts'

let system: System
let app: TestApp
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())

const NIGHTLY = { name: 'nightly', description: 'Prints', schedule: '0 3 * * *', timezone: 'Europe/Berlin' }

type Declared = { name: string; schedule?: string | null; concurrency?: 'skip' | 'queue'; timezone?: string }
const connect = (...pipelines: Declared[]) => connectRawWorker(app.client, app.alias, { pipelines })
/** The worker gets no more calls, and nothing counts as served by it. */
const leave = async (worker: Awaited<ReturnType<typeof connect>>) => {
  await worker.heartbeat([], true)
  await worker.close()
}
const of = (name: string) => ({ alias: app.alias, name })
const read = (name: string) => app.client.call(readPipeline, of(name))
const start = (name: string) => app.client.call(runPipeline, of(name))

describe('NO-03 pipelines over HTTP', () => {
  it('are declared by a worker and stay when it leaves', async () => {
    app = await newApp(system)
    expect(await app.client.call(listPipelines, { alias: app.alias })).toEqual({ items: [], next_cursor: null })
    const worker = await connect(NIGHTLY, { name: 'by-hand' })
    const nightly = await read('nightly')
    expect(nightly).toEqual({
      id: expect.stringMatching(/^pl_/),
      ...NIGHTLY,
      concurrency: 'skip',
      timeout_seconds: 3600,
      enabled: true,
      state: null,
      state_since: null,
      next_run_at: expect.stringMatching(/T0[12]:00:00\.000Z$/),
      is_served: true,
      last_run: null,
    })
    expect(await read('by-hand')).toMatchObject({ schedule: null, timezone: 'UTC', next_run_at: null })
    await leave(worker)
    const { items } = await app.client.call(listPipelines, { alias: app.alias })
    expect(items.map(({ name, is_served }) => [name, is_served])).toEqual([
      ['by-hand', false],
      ['nightly', false],
    ])
    expect(items[1]).toEqual({ ...nightly, is_served: false })
  })

  it('keep what a person chose when they are declared again, and take a new schedule', async () => {
    app = await newApp(system)
    await leave(await connect(NIGHTLY))
    await app.client.call(changePipeline, { ...of('nightly'), enabled: false })
    await leave(await connect({ ...NIGHTLY, schedule: '0 4 * * *' }))
    expect(await read('nightly')).toMatchObject({ enabled: false, schedule: '0 4 * * *', next_run_at: null })
    const enabled = await app.client.call(changePipeline, { ...of('nightly'), enabled: true })
    expect(enabled.next_run_at).toMatch(/T0[23]:00:00\.000Z$/)
    await leave(await connect({ name: 'nightly' }))
    expect(await read('nightly')).toMatchObject({ enabled: true, schedule: null, next_run_at: null })
  })

  it('run by hand on the worker, with a log and a result', async () => {
    app = await newApp(system)
    await using worker = await connect(NIGHTLY)
    const queued = await start('nightly')
    expect(queued).toMatchObject({ state: 'queued', trigger: 'manual', scheduled_at: null, reason: null })
    const call = await worker.nextCall()
    expect(call).toMatchObject({ kind: 'pipeline', name: 'nightly', input: {} })
    const run = { ...of('nightly'), run_id: queued.id }
    expect(await app.client.call(readPipelineRun, run)).toMatchObject({ state: 'running' })
    expect(await codeOf(start('nightly'))).toBe('PIPELINE_BUSY')
    const lines = ['one', 'two', 'three'].map((text) => ({
      at: new Date().toISOString(),
      level: 'info' as const,
      text,
    }))
    const { call_id, fence } = call
    const to = { alias: app.alias, worker_id: worker.worker_id, call_id, fence }
    expect(await app.client.call(reportLogs, { ...to, lines })).toEqual({ accepted: true })
    await worker.report({ call_id, fence, error: 'out of paper' })
    expect(await app.client.call(readPipelineRun, run)).toMatchObject({
      state: 'failed',
      reason_code: 'FUNCTION_FAILED',
      reason: 'out of paper',
      started_at: expect.any(String),
      ended_at: expect.any(String),
    })
    const first = await app.client.call(readPipelineRunLog, { ...run, limit: 2 })
    expect(first).toEqual({ lines: lines.slice(0, 2), last: 2, has_more: true })
    const second = await app.client.call(readPipelineRunLog, { ...run, after: first.last! })
    expect(second).toEqual({ lines: lines.slice(2), last: 3, has_more: false })
    expect(await read('nightly')).toMatchObject({ state: 'failed', last_run: { id: queued.id, state: 'failed' } })
  })

  it('queue runs that are asked for while one is under way', async () => {
    app = await newApp(system)
    await using worker = await connect({ name: 'q', concurrency: 'queue' })
    const ids = [(await start('q')).id, (await start('q')).id, (await start('q')).id]
    for (const _ of ids) {
      const { call_id, fence } = await worker.nextCall()
      await worker.report({ call_id, fence, output: null })
    }
    const { items } = await app.client.call(listPipelineRuns, of('q'))
    expect(items.map(({ id, state }) => [id, state])).toEqual(ids.toReversed().map((id) => [id, 'succeeded']))
  })

  it('refuse to run while they are disabled or no worker serves them', async () => {
    app = await newApp(system)
    const worker = await connect({ name: 'p' })
    await app.client.call(changePipeline, { ...of('p'), enabled: false })
    expect(await codeOf(start('p'))).toBe('PIPELINE_DISABLED')
    await app.client.call(changePipeline, { ...of('p'), enabled: true })
    await leave(worker)
    expect(await codeOf(start('p'))).toBe('NO_WORKER')
    expect((await app.client.call(listPipelineRuns, of('p'))).items).toEqual([])
  })

  it('are started by hand at most 60 times a minute by one caller', async () => {
    app = await newApp(system)
    const codes = await Promise.all(Array.from({ length: 61 }, () => codeOf(start('none'))))
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1)
  })

  it('skip the runs that wait when they are disabled', async () => {
    app = await newApp(system)
    await using worker = await connect({ name: 'p', concurrency: 'queue' })
    await start('p')
    const { call_id, fence } = await worker.nextCall()
    await start('p')
    await app.client.call(changePipeline, { ...of('p'), enabled: false })
    await worker.report({ call_id, fence, output: null })
    const { items } = await app.client.call(listPipelineRuns, of('p'))
    expect(items.map(({ state, reason_code }) => [state, reason_code])).toEqual([
      ['skipped', 'DISABLED'],
      ['succeeded', null],
    ])
  })

  it('leave an entry in the audit trail when a person changes them', async () => {
    app = await newApp(system)
    await leave(await connect({ name: 'p' }))
    for (const enabled of [false, false, true]) await app.client.call(changePipeline, { ...of('p'), enabled })
    await app.client.call(deletePipeline, of('p'))
    const entries = await system.db.query(sql`
      select action, detail from svc.audit where org_id = ${app.org_id} and action like 'pipeline.%' order by id`)
    const detail = { alias: app.alias, name: 'p' }
    expect(entries).toEqual(
      ['pipeline.disabled', 'pipeline.enabled', 'pipeline.deleted'].map((action) => ({ action, detail })),
    )
  })

  it('are deleted only when no worker declares them', async () => {
    app = await newApp(system)
    const worker = await connect({ name: 'p' })
    expect(await codeOf(app.client.call(deletePipeline, of('p')))).toBe('CONFLICT')
    await leave(worker)
    expect(await app.client.call(deletePipeline, of('p'))).toEqual({ name: 'p', deleted: true })
    expect(await codeOf(read('p'))).toBe('NOT_FOUND')
  })

  // biome-ignore format: the columns are the point
  it.each([
    [{ name: 'p', schedule: '61 3 * * *' },                      'pipelines.0 (p): schedule: This is not a cron expression. An example is 0 3 * * *.'],
    [{ name: 'p', schedule: '0 3 30 2 *' },                      'pipelines.0 (p): schedule: This schedule has no date that exists.'],
    [{ name: 'p', schedule: '0 3 * * *', timezone: 'Nowhere' },  'pipelines.0 (p): timezone: Nowhere is not an IANA name, such as Europe/Berlin.'],
  ])('a worker that declares %o is refused', async (declared, message) => {
    app = await newApp(system)
    await expect(connect(declared)).rejects.toMatchObject({ code: 'INVALID_REQUEST', message })
    expect(await codeOf(read('p'))).toBe('NOT_FOUND')
  })

  it('an app has at most 200 of them, in all declarations together', async () => {
    app = await newApp(system)
    const many = (prefix: string) => Array.from({ length: 100 }, (_, n) => ({ name: `${prefix}${n}` }))
    await leave(await connect(...many('a')))
    await leave(await connect(...many('b')))
    await expect(connect({ name: 'one-more' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'pipelines: the app has 200 pipelines and may have 200; delete some that are not used any more',
    })
    await leave(await connect(...many('a')))
  })

  it('are not found in other organizations, and vanish with their app', async () => {
    app = await newApp(system)
    await leave(await connect({ name: 'p' }))
    const stranger = await newApp(system)
    expect(await codeOf(stranger.client.call(readPipeline, of('p')))).toBe('NOT_FOUND')
    expect(await codeOf(app.client.call(readPipelineRun, { ...of('p'), run_id: 'plr_none' }))).toBe('NOT_FOUND')
    const owner = system.client((await system.member('owner', app.org_id)).token)
    await owner.call(deleteApp, { alias: app.alias, confirm: app.alias })
    await until(async () => {
      const rows = await system.db.query(sql`select from pipelines.pipelines where org_id = ${app.org_id}`)
      return rows.length === 0
    })
  })
})

describe('NO-03 pipelines of the worker SDK', () => {
  it('run with a log, report what they throw, and are aborted when their time is over', async () => {
    app = await newApp(system)
    const aborted = Promise.withResolvers<void>()
    const worker = createWorker({
      app: app.alias,
      env: { SVC_API_URL: system.url, SERVER_API_TOKEN: app.token },
      onError: () => {},
    })
      .pipeline('report', { schedule: '0 3 * * *', timezone: 'Asia/Tokyo' }, ({ log }) => {
        log.info('begin')
        log.warn('paper is low')
        throw new Error('out of paper')
      })
      .pipeline('endless', { timeoutSeconds: 1 }, ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve())
        return new Promise(() => {})
      })
    await worker.start()
    expect(await read('report')).toMatchObject({ schedule: '0 3 * * *', timezone: 'Asia/Tokyo', is_served: true })
    const ended = async (name: string) => {
      const { id } = await start(name)
      const run = { ...of(name), run_id: id }
      await until(async () => (await app.client.call(readPipelineRun, run)).ended_at !== null)
      return run
    }
    const report = await ended('report')
    expect(await app.client.call(readPipelineRun, report)).toMatchObject({ state: 'failed', reason: 'out of paper' })
    const { lines } = await app.client.call(readPipelineRunLog, report)
    expect(lines.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'begin'],
      ['warn', 'paper is low'],
    ])
    const endless = await ended('endless')
    expect(await app.client.call(readPipelineRun, endless)).toMatchObject({ state: 'failed', reason_code: 'TIMEOUT' })
    await aborted.promise
    await worker.stop({ graceSeconds: 0 })
  })
})

describe('NO-03 svc pipelines', () => {
  const svc = (line: string) =>
    runSvc(line.split(' '), { env: { SVC_API_URL: system.url, SVC_API_KEY: app.token, NO_COLOR: '1' } })

  it('lists, runs, follows and shows runs and logs', async () => {
    app = await newApp(system)
    expect((await svc(`pipelines list ${app.alias}`)).stderr).toContain(`${app.alias} has no pipelines.`)
    await using worker = await connect({ name: 'by-hand' }, NIGHTLY)
    const listed = await svc(`pipelines list ${app.alias}`)
    expect(listed.stdout).toMatch(/^NAME +SCHEDULE +WORKER +STATE +LAST RUN +NEXT RUN\n/)
    expect(listed.stdout).toMatch(/\nnightly +0 3 \* \* \* \(Europe\/Berlin\) +connected +- +- +20\d\d-/)
    expect(listed.stdout).toMatch(/\nby-hand +by hand +connected +- +- +-\n/)

    const following = svc(`pipelines run ${app.alias} nightly --follow`)
    const { call_id, fence } = await worker.nextCall()
    const to = { alias: app.alias, worker_id: worker.worker_id, call_id, fence }
    const lines = [{ at: new Date().toISOString(), level: 'warn' as const, text: 'paper is low' }]
    await app.client.call(reportLogs, { ...to, lines })
    await worker.report({ call_id, fence, error: 'out of paper' })
    const followed = await following
    expect(followed.exit).toBe(1)
    expect(followed.stdout).toMatch(/^Run plr_\w+ of nightly: failed\. out of paper\n$/)
    expect(followed.stderr).toContain('warn  paper is low')

    const runs = await svc(`pipelines runs ${app.alias} nightly`)
    expect(runs.stdout).toMatch(/\nplr_\w+ +failed +manual +- .* out of paper\n$/)
    const [runId] = /plr_\w+/.exec(runs.stdout)!
    expect((await svc(`pipelines logs ${app.alias} nightly ${runId}`)).stdout).toMatch(/ warn {2}paper is low\n$/)
  })

  it('disables, enables and deletes', async () => {
    app = await newApp(system)
    await leave(await connect(NIGHTLY))
    expect(await svc(`pipelines disable ${app.alias} nightly`)).toMatchObject({
      exit: 0,
      stdout: `nightly is disabled. Enable it again: svc pipelines enable ${app.alias} nightly\n`,
    })
    expect((await svc(`pipelines run ${app.alias} nightly`)).exit).toBe(6)
    expect((await svc(`pipelines enable ${app.alias} nightly`)).stdout).toMatch(
      /^nightly is enabled\. It runs next 20\d\d-\S+Z\.\n$/,
    )
    expect((await svc(`pipelines delete ${app.alias} nightly --yes`)).stdout).toBe('Deleted nightly.\n')
    expect((await svc(`pipelines runs ${app.alias} nightly`)).exit).toBe(4)
  })
})
