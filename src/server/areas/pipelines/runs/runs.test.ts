import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { DONE, openPipelineBench } from '#test/work/pipeline-bench.ts'
import { findRunLines, MAX_RUN_LOG_LINES } from './log-store.ts'
import { outcomeOf } from './outcome.ts'
import { requestRun } from './request.ts'
import { KEPT_RUNS, runRetention } from './retention.ts'

const failed = (code: 'FUNCTION_FAILED' | 'WORKER_LOST' | 'TIMEOUT' | 'NO_WORKER') =>
  ({ ok: false, code, message: 'words' }) as const

// biome-ignore format: the columns are the point
it.each([
  [DONE,                      true,  'succeeded'],
  [failed('FUNCTION_FAILED'), true,  'failed'],
  [failed('WORKER_LOST'),     true,  'failed'],
  [failed('TIMEOUT'),         true,  'failed'],
  [failed('TIMEOUT'),         false, 'missed'],
  [failed('NO_WORKER'),       false, 'host_offline'],
] as const)('NO-03 a call that ends as %o, begun: %s', (result, wasStarted, outcome) => {
  expect(outcomeOf(result, wasStarted).outcome).toBe(outcome)
})

describe('the history of a pipeline', () => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase()
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  const lines = (count: number, text: string) =>
    Array.from({ length: count }, () => ({ at: new Date(), level: 'info' as const, text }))

  async function runningRun() {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect({ name: 'p' })
    const run = await requestRun(bench.deps, await bench.pipelineId('p'), null)
    const [call] = await bench.take()
    const log = (given: ReturnType<typeof lines>) => opened.db.tx((tx) => bench.hooks.logged!(tx, call!, given))
    const stored = () => findRunLines(opened.db, run.id, 0, 20_000)
    return { bench, call: call!, run, log, stored }
  }

  it('keeps lines in their order and refuses none that come after', async () => {
    const { log, stored } = await runningRun()
    await log([...lines(1, 'first'), ...lines(1, 'second')])
    await log(lines(1, 'third'))
    expect((await stored()).map(({ n, text }) => [n, text])).toEqual([
      [1, 'first'],
      [2, 'second'],
      [3, 'third'],
    ])
  })

  it('a log that is too large ends with a line that says so', async () => {
    const { log, stored } = await runningRun()
    for (let batch = 0; batch < 3; batch++) await log(lines(50, 'x'.repeat(4_000)))
    const storedLines = await stored()
    // 65 lines of 4,000 bytes fit into 256 KiB.
    expect(storedLines).toHaveLength(66)
    expect(storedLines.at(-1)!.text).toBe('The log of this run is full. Later lines are not stored.')
  })

  it('a log with too many lines ends in the same way', async () => {
    const { log, stored } = await runningRun()
    await log(lines(MAX_RUN_LOG_LINES, ''))
    await log(lines(5, 'late'))
    await log(lines(5, 'later'))
    const storedLines = await stored()
    expect(storedLines).toHaveLength(MAX_RUN_LOG_LINES + 1)
    expect(storedLines.at(-1)!.text).toContain('full')
  })

  it('stores no line of a run that has ended', async () => {
    const { bench, call, log, stored } = await runningRun()
    await bench.finish(call, DONE)
    await log(lines(1, 'late'))
    expect(await stored()).toEqual([])
  })

  it('keeps the newest runs and none that is older than 90 days', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect({ name: 'many' }, { name: 'old' })
    const [many, old] = [await bench.pipelineId('many'), await bench.pipelineId('old')]
    const insert = (pipelineId: string, count: number, ended: string) =>
      opened.db.query(sql`
        insert into pipelines.runs (id, pipeline_id, trigger, state, created_at, ended_at)
        select 'plr_' || ${pipelineId} || to_char(n, 'FM00000'), ${pipelineId}, 'manual', 'succeeded', ${ended}, ${ended}
        from generate_series(1, ${count}::int) as n`)
    await insert(many, KEPT_RUNS + 700, '2026-05-31T00:00:00Z')
    await insert(old, 3, '2026-03-01T00:00:00Z')
    await runRetention(opened).tick(new Date('2026-06-01T12:00:00Z'), new AbortController().signal)
    const left = await opened.db.query<{ pipeline_id: string; count: number; oldest: string }>(sql`
      select pipeline_id, count(*), min(right(id, 5)) as oldest from pipelines.runs
      where pipeline_id in (${many}, ${old}) group by pipeline_id`)
    expect(left).toEqual([{ pipeline_id: many, count: KEPT_RUNS, oldest: '00701' }])
  })

  it('loses the oldest logs of an app that has more than 64 MiB of them, and says so', async () => {
    const bench = await openPipelineBench(opened.db, '2026-06-01T12:00:00Z')
    await bench.connect({ name: 'wordy' })
    const id = await bench.pipelineId('wordy')
    await opened.db.query(sql`
      insert into pipelines.runs (id, pipeline_id, trigger, state, created_at, ended_at, log_bytes, log_lines)
      select 'plr_' || ${id} || n, ${id}, 'manual', 'succeeded', '2026-05-31', '2026-05-31', 262144, 1
      from generate_series(101, 359) as n`)
    await opened.db.query(sql`
      insert into pipelines.run_lines (run_id, n, at, level, text)
      select id, 1, '2026-05-31', 'info', 'many words' from pipelines.runs where pipeline_id = ${id}`)
    await runRetention(opened).tick(new Date('2026-06-01T12:00:00Z'), new AbortController().signal)
    const texts = await opened.db.query<{ run: string; text: string }>(sql`
      select right(run_id, 3) as run, text from pipelines.run_lines
      join pipelines.runs on runs.id = run_id where pipeline_id = ${id} order by run_id`)
    const removed = texts.filter(({ text }) => text === 'The log of this run was removed to make room for newer ones.')
    // 256 logs of 256 KiB are 64 MiB.
    expect(removed.map(({ run }) => run)).toEqual(['101', '102', '103'])
    expect(texts.filter(({ text }) => text === 'many words')).toHaveLength(256)
  })
})
