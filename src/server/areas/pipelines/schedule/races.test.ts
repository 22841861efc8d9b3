import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { FAILED, openPipelineBench } from '#test/work/pipeline-bench.ts'
import { lockPipeline } from '../registry/store.ts'
import { requestRun } from '../runs/request.ts'
import { addRun } from '../runs/start.ts'
import { scheduleLoop } from './loop.ts'

const COUNT = 12

needs('postgres')('NO-03 two processes that evaluate schedules', () => {
  let opened: TestDatabase
  const stack = new AsyncDisposableStack()
  beforeAll(async () => {
    opened = stack.use(await openTestDatabase())
  })
  afterAll(() => stack.disposeAsync())

  const signal = new AbortController().signal
  type Bench = Awaited<ReturnType<typeof openPipelineBench>>
  /** Both look at once, each with connections of its own, until nothing is due. */
  const evaluateTwice = async ({ deps }: Bench, now: Date) => {
    const other = stack.use(openPostgres({ url: opened.url!, onError: (error) => expect.fail(String(error)) }))
    const loops = [scheduleLoop(deps), scheduleLoop({ ...deps, db: other })]
    // From before the time on, because a worker has two minutes to connect after a start.
    const looks = [-125_000, 0, 61_000, 62_000]
    for (const ms of looks) await Promise.all(loops.map((loop) => loop.tick(new Date(now.getTime() + ms), signal)))
  }
  const names = Array.from({ length: COUNT }, (_, n) => ({ name: `p${n}`, schedule: '0 3 * * *' }))
  const slot = new Date('2026-06-02T03:00:00Z')

  it('start one run for each time', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect(...names)
    await evaluateTwice(bench, slot)
    expect((await bench.runs()).map(({ state }) => state)).toEqual(Array(COUNT).fill('queued'))
    const calls = await bench.take()
    expect(new Set(calls.map(({ reference }) => reference)).size).toBe(calls.length)
    const [row] = await opened.db.query<{ count: number }>(sql`
      select count(*) from pipelines.calls where app_id = ${bench.appId}`)
    expect(row!.count).toBe(COUNT)
  })

  it('report an offline host once', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect(...names)
    await bench.disconnect()
    await evaluateTwice(bench, slot)
    expect((await bench.runs()).map(({ state }) => state)).toEqual(Array(COUNT).fill('host_offline'))
    expect(await bench.events()).toEqual(Array(COUNT).fill('pipeline.run.host_offline'))
  })

  it('cannot record one time twice, even without the lock of the pipeline', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect(names[0]!)
    const id = await bench.pipelineId('p0')
    const record = () =>
      opened.db.tx(async (tx) => {
        const pipeline = { ...(await lockPipeline(tx, id)) }
        return addRun(tx, { pipeline, scheduled_at: slot, requested_by: null, now: slot })
      })
    expect(await record()).toBeDefined()
    expect(await record()).toBeUndefined()
  })

  it('of two people who start a run at once, one is told that it is under way', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect({ name: 'by-hand' })
    const id = await bench.pipelineId('by-hand')
    const codes = await Promise.all([1, 2].map(() => codeOf(requestRun(bench.deps, id, null))))
    expect(new Set(codes)).toEqual(new Set(['PIPELINE_BUSY', 'no error']))
  })

  it('a result that comes twice at once ends the run once, with one event', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect({ name: 'p', schedule: '0 3 * * *' })
    await requestRun(bench.deps, await bench.pipelineId('p'), null)
    const [call] = await bench.take()
    await Promise.all([1, 2, 3].map(() => bench.finish(call!, FAILED)))
    expect(await bench.events()).toEqual(['pipeline.run.failed'])
    expect((await bench.runs()).map(({ state }) => state)).toEqual(['failed'])
  })
})
