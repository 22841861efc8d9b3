import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { DONE, FAILED, openPipelineBench } from '#test/work/pipeline-bench.ts'
import { startSweep } from '#test/work/start-sweep.ts'
import { extendReconnects } from '../calls/reconnect-store.ts'
import { requestRun } from '../runs/request.ts'
import { switchPipeline } from './switch.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
// Each test has a clock of its own, by which pipelines of another one could be due.
afterEach(() => opened.db.query(sql`delete from apps.apps`))
afterAll(() => opened?.[Symbol.asyncDispose]())

type Bench = Awaited<ReturnType<typeof openPipelineBench>>
const NIGHTLY = { name: 'nightly', schedule: '30 2 * * *', timezone: 'Europe/Berlin' }

/** Opens a bench whose evaluator has run for so long that no restart explains an absent worker. */
async function openRunningBench(): Promise<Bench> {
  const bench = await openPipelineBench(opened.db, '2026-06-01T11:58:00Z')
  await bench.runUntil('2026-06-01T12:00:30Z')
  bench.setClock('2026-06-01T12:00:30Z')
  return bench
}

/** Ends the run of the night, which the evaluator started. */
async function endRun(bench: Bench, result = FAILED): Promise<void> {
  const calls = await bench.take()
  expect(calls).toHaveLength(1)
  await bench.finish(calls[0]!, result)
}

it('NO-03 nights fail, fail, offline three times, fail, fail, ok alert four times, across a restart and a change of clocks', async () => {
  const bench = await openPipelineBench(opened.db, '2026-03-24T12:00:00Z')
  await bench.connect(NIGHTLY)
  const night = async (day: string, what: 'fail' | 'offline' | 'ok') => {
    await bench.runUntil(`${day}T02:00:00Z`)
    if (what !== 'offline') await endRun(bench, what === 'ok' ? DONE : FAILED)
    return bench.events()
  }
  const FIRST = ['pipeline.run.failed']
  expect(await night('2026-03-25', 'fail')).toEqual(FIRST)
  expect(await night('2026-03-26', 'fail')).toEqual(FIRST)
  await bench.disconnect()
  const SECOND = [...FIRST, 'pipeline.run.host_offline']
  expect(await night('2026-03-27', 'offline')).toEqual(SECOND)
  bench.restart()
  expect(await night('2026-03-28', 'offline')).toEqual(SECOND)
  // In this night 02:30 does not exist: the clocks go from 02:00 to 03:00.
  bench.restart()
  expect(await night('2026-03-29', 'offline')).toEqual(SECOND)
  await bench.connect(NIGHTLY)
  const THIRD = [...SECOND, 'pipeline.run.failed']
  expect(await night('2026-03-30', 'fail')).toEqual(THIRD)
  bench.restart()
  expect(await night('2026-03-31', 'fail')).toEqual(THIRD)
  expect(await night('2026-04-01', 'ok')).toEqual([...THIRD, 'pipeline.run.recovered'])
  expect((await bench.runs()).map(({ state, scheduled_at }) => [state, scheduled_at?.toISOString()])).toEqual([
    ['failed', '2026-03-25T01:30:00.000Z'],
    ['failed', '2026-03-26T01:30:00.000Z'],
    ['host_offline', '2026-03-27T01:30:00.000Z'],
    ['host_offline', '2026-03-28T01:30:00.000Z'],
    ['host_offline', '2026-03-29T01:00:00.000Z'],
    ['failed', '2026-03-30T00:30:00.000Z'],
    ['failed', '2026-03-31T00:30:00.000Z'],
    ['succeeded', '2026-04-01T00:30:00.000Z'],
  ])
})

it('NO-03 a downtime over three nights is one missed run when the worker comes back', async () => {
  const bench = await openPipelineBench(opened.db, '2026-10-23T12:00:00Z')
  await bench.connect(NIGHTLY)
  // Nobody looks from here on. In one of these nights 02:30 comes twice.
  bench.setClock('2026-10-26T12:00:00Z')
  bench.restart()
  await bench.runUntil('2026-10-26T12:10:00Z')
  expect(await bench.runs()).toEqual([
    { state: 'missed', scheduled_at: new Date('2026-10-26T01:30:00Z'), reason_code: 'SERVICE_DOWN' },
  ])
  await bench.runUntil('2026-10-27T01:40:00Z')
  await endRun(bench, DONE)
  expect(await bench.events()).toEqual(['pipeline.run.missed', 'pipeline.run.recovered'])
})

it('NO-03 a worker that was offline before, during and after a downtime is one alert', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.disconnect()
  await bench.runUntil('2026-06-02T12:00:00Z')
  bench.setClock('2026-06-05T12:00:00Z')
  bench.restart()
  await bench.runUntil('2026-06-06T12:00:00Z')
  expect((await bench.runs()).map(({ state }) => state)).toEqual(['host_offline', 'host_offline', 'host_offline'])
  expect(await bench.events()).toEqual(['pipeline.run.host_offline'])
})

// The minute that the guide names (docs/pipelines.md) holds however close the times of the schedule are.
it.each([
  ['* * * * *', ['12:01']],
  ['*/2 * * * *', ['12:02']],
  ['0,1,2 * * * *', ['12:01']],
])(
  'NO-03 a worker that leaves a schedule of %s is offline a minute after its first time without one',
  async (schedule, slots) => {
    const bench = await openRunningBench()
    await bench.connect({ name: 'often', schedule })
    await bench.disconnect()
    const first = Date.parse(`2026-06-01T${slots[0]}:00Z`)
    await bench.runUntil(new Date(first + 56_000).toISOString())
    expect(await bench.events()).toEqual([])
    await bench.runUntil(new Date(first + 64_000).toISOString())
    expect(await bench.events()).toEqual(['pipeline.run.host_offline'])
    expect((await bench.runs()).map(({ state, scheduled_at }) => [state, scheduled_at?.toISOString()])).toEqual(
      slots.map((slot) => ['host_offline', `2026-06-01T${slot}:00.000Z`]),
    )
  },
)

it('NO-03 a worker that comes back after the alert runs the minute that is still within its grace', async () => {
  const bench = await openRunningBench()
  const often = { name: 'often', schedule: '* * * * *' }
  await bench.connect(often)
  await bench.disconnect()
  await bench.runUntil('2026-06-01T12:02:20Z')
  await bench.connect(often)
  await bench.runUntil('2026-06-01T12:02:24Z')
  await endRun(bench, DONE)
  expect((await bench.runs()).map(({ state, scheduled_at }) => [state, scheduled_at?.toISOString()])).toEqual([
    ['host_offline', '2026-06-01T12:01:00.000Z'],
    ['succeeded', '2026-06-01T12:02:00.000Z'],
  ])
  expect(await bench.events()).toEqual(['pipeline.run.host_offline', 'pipeline.run.recovered'])
})

it('NO-03 a worker that is replaced at the time of the run loses no run', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.disconnect()
  await bench.runUntil('2026-06-02T00:30:40Z')
  await bench.connect(NIGHTLY)
  await bench.runUntil('2026-06-02T00:30:50Z')
  await endRun(bench, DONE)
  expect(await bench.events()).toEqual([])
})

it('NO-03 a connected worker that does not declare the pipeline is a missed run, not an offline host', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.disconnect()
  await bench.connect({ name: 'other' })
  await bench.runUntil('2026-06-02T12:00:00Z')
  expect(await bench.runs()).toMatchObject([{ state: 'missed', reason_code: 'NOT_SERVED' }])
  expect(await bench.events()).toEqual(['pipeline.run.missed'])
})

it('NO-03 skipped runs, disabled pipelines and pipelines without a schedule raise no event', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY, { name: 'by-hand' }, { ...NIGHTLY, name: 'off' })
  await switchPipeline(bench.deps, await bench.pipelineId('off'), false, bench.by)
  await requestRun(bench.deps, await bench.pipelineId('by-hand'), null)
  const [byHand] = await bench.take()
  await bench.finish(byHand!, FAILED)
  await bench.runUntil('2026-06-02T00:40:00Z')
  const [long] = await bench.take()
  // The run of the first night still runs in the second.
  await bench.runUntil('2026-06-03T00:40:00Z')
  expect((await bench.runs()).map(({ state }) => state)).toEqual(['failed', 'running', 'skipped'])
  await switchPipeline(bench.deps, await bench.pipelineId('nightly'), false, bench.by)
  await bench.finish(long!, FAILED)
  await bench.disconnect()
  await bench.runUntil('2026-06-05T00:00:00Z')
  expect((await bench.runs()).map(({ state }) => state)).toEqual(['failed', 'failed', 'skipped'])
  expect(await bench.events()).toEqual([])
})

it('NO-03 queued runs start one after another, and only so many wait', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:30Z')
  await bench.connect({ name: 'often', schedule: '* * * * *', concurrency: 'queue' })
  await bench.runUntil('2026-06-01T12:12:30Z')
  expect((await bench.runs()).map(({ state }) => state)).toEqual([...Array(11).fill('queued'), 'skipped'])
  for (let run = 0; run < 11; run++) {
    const calls = await bench.take()
    expect(calls).toHaveLength(1)
    await bench.finish(calls[0]!, DONE)
  }
  expect(await bench.take()).toEqual([])
  expect((await bench.runs()).filter(({ state }) => state === 'succeeded')).toHaveLength(11)
  expect(await bench.events()).toEqual([])
})

it('NO-03 a worker that leaves before it took the run is an offline host, one that is lost during it a failed run', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  const { appId, deps, hooks } = bench
  const sweep = await startSweep({ ...deps, pipelines: hooks })
  await bench.connect(NIGHTLY)
  await bench.runUntil('2026-06-02T12:00:00Z')
  await bench.disconnect()
  await sweep()
  expect((await bench.runs()).map(({ state }) => state)).toEqual(['queued'])
  // The worker has a minute to come back, by the clock of the database.
  await opened.db.query(sql`
    update pipelines.calls set created_at = created_at - interval '61 seconds' where app_id = ${appId}`)
  await sweep()
  await bench.connect(NIGHTLY)
  await bench.runUntil('2026-06-03T12:00:00Z')
  expect(await bench.take()).toHaveLength(1)
  await bench.disconnect()
  await sweep()
  await sweep()
  expect((await bench.runs()).map(({ state, reason_code }) => [state, reason_code])).toEqual([
    ['host_offline', 'NO_WORKER'],
    ['failed', 'WORKER_LOST'],
  ])
  expect(await bench.events()).toEqual(['pipeline.run.host_offline', 'pipeline.run.failed'])
})

it('NO-03 a pipeline that cannot be evaluated is reported and does not keep the others', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect({ ...NIGHTLY, name: 'unreadable' }, NIGHTLY)
  // As a release with other rules for schedules could have left it.
  await opened.db.query(sql`
    update pipelines.pipelines set schedule = 'at noon', next_at = next_at - interval '1 minute'
    where id = ${await bench.pipelineId('unreadable')}`)
  await bench.runUntil('2026-06-02T00:31:00Z')
  expect((await bench.runs()).map(({ state }) => state)).toEqual(['queued'])
  expect(bench.errors.length).toBeGreaterThan(0)
})

it('NO-19 a worker that comes back within two minutes of a restart is not offline, and its run begins late', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.runUntil('2026-06-01T23:00:00Z')
  await bench.disconnect()
  // Nobody looks while the process is away, and the time of the run passes.
  bench.setClock('2026-06-02T00:31:00Z')
  bench.restart()
  await bench.runUntil('2026-06-02T00:32:58Z')
  expect([await bench.runs(), await bench.events()]).toEqual([[], []])
  await bench.connect(NIGHTLY)
  await bench.runUntil('2026-06-02T00:33:02Z')
  await endRun(bench, DONE)
  expect(await bench.runs()).toMatchObject([{ state: 'succeeded', scheduled_at: new Date('2026-06-02T00:30:00Z') }])
  expect(await bench.events()).toEqual([])
})

it('NO-19 a worker that stays away is offline two minutes after the restart', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.disconnect()
  bench.setClock('2026-06-02T00:31:00Z')
  bench.restart()
  await bench.runUntil('2026-06-02T00:32:58Z')
  expect(await bench.events()).toEqual([])
  await bench.runUntil('2026-06-02T00:33:02Z')
  expect(await bench.events()).toEqual(['pipeline.run.host_offline'])
})

it('NO-19 a server that restarts again and again reports a worker that stays away', async () => {
  const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
  await bench.connect(NIGHTLY)
  await bench.disconnect()
  for (const [start, end, events] of [
    ['00:31:00', '00:32:00', []],
    ['00:32:00', '00:32:58', []],
    ['00:33:00', '00:33:10', ['pipeline.run.host_offline']],
  ] as const) {
    bench.setClock(`2026-06-02T${start}Z`)
    bench.restart()
    await bench.runUntil(`2026-06-02T${end}Z`)
    expect(await bench.events()).toEqual(events)
  }
})

it('NO-19 a process that evaluates schedules knows when another one, which holds streams of workers, was restarted', async () => {
  const bench = await openRunningBench()
  await bench.connect({ name: 'often', schedule: '* * * * *' })
  await bench.disconnect()
  await extendReconnects(opened.db)
  await bench.runUntil('2026-06-01T12:02:38Z')
  expect(await bench.events()).toEqual([])
  await opened.db.query(sql`update pipelines.reconnects set until = clock_timestamp()`)
  await bench.runUntil('2026-06-01T12:02:44Z')
  expect(await bench.events()).toEqual(['pipeline.run.host_offline'])
  await opened.db.query(sql`delete from pipelines.reconnects`)
})
