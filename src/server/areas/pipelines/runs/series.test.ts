import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPipelineSeries } from '#contract/pipelines.ts'
import { lowestId, newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'

const NOW = new Date('2026-03-15T12:10:00.000Z')
const DAY_MS = 24 * 60 * 60_000
const EMPTY = { runs: 0, succeeded: 0, failed: 0, not_run: 0, under_way: 0, p50_ms: null, p95_ms: null }

describe('CO-17 how the runs of a pipeline went', () => {
  let system: System
  let shop: TestApp
  let pipeline: string
  let runs = 0
  const read = (input: { from?: string; until?: string; name?: string } = {}) =>
    shop.client.call(readPipelineSeries, { alias: shop.alias, name: 'invoices', ...input })
  beforeAll(async () => {
    system = await startSystem({ clock: testClock(NOW) })
    shop = await newApp(system)
    pipeline = await create('invoices')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function create(name: string): Promise<string> {
    const id = newId('pl')
    await system.db.query(sql`
      insert into pipelines.pipelines
        (id, org_id, app_id, name, description, timezone, concurrency, timeout_seconds, created_at)
      select ${id}, org_id, id, ${name}, '', 'UTC', 'queue', 60, created_at from apps.apps where alias = ${shop.alias}`)
    return id
  }

  async function ran(createdAt: string, state: string, tookMs: number | null = null, pipelineId = pipeline) {
    const created = new Date(createdAt)
    const id = lowestId('plr', created).slice(0, -4) + String(++runs).padStart(4, '0')
    const started = tookMs === null ? null : new Date(created.getTime() + 1_000)
    const ended = state === 'running' ? null : new Date(created.getTime() + 1_000 + (tookMs ?? 0))
    await system.db.query(sql`
      insert into pipelines.runs (id, pipeline_id, trigger, state, call_id, created_at, started_at, ended_at)
      values (${id}, ${pipelineId}, 'manual', ${state}, ${id}, ${created}, ${started}, ${ended})`)
  }

  it('is the last day in parts of half an hour, none of which had a run', async () => {
    const { bucket_seconds, items } = await read()
    expect([bucket_seconds, items.length]).toEqual([1_800, 49])
    expect(items[0]).toEqual({ at: '2026-03-14T12:00:00.000Z', ...EMPTY })
  })

  it('counts the runs of each part by what became of them, with how long those that ended took', async () => {
    await ran('2026-03-15T11:29:59.999Z', 'skipped')
    await ran('2026-03-15T12:00:00.000Z', 'succeeded', 2_000)
    await ran('2026-03-15T12:01:00.000Z', 'failed', 120_000)
    await ran('2026-03-15T12:02:00.000Z', 'missed')
    await ran('2026-03-15T12:03:00.000Z', 'host_offline')
    await ran('2026-03-15T12:04:00.000Z', 'succeeded', 1_000)
    await ran('2026-03-15T12:05:00.000Z', 'running', 9_000)
    await ran('2026-03-15T12:06:00.000Z', 'succeeded', 9_000, await create('reminders'))
    const { items } = await read()
    expect(items.slice(-3)).toEqual([
      { at: '2026-03-15T11:00:00.000Z', ...EMPTY, runs: 1, not_run: 1 },
      { at: '2026-03-15T11:30:00.000Z', ...EMPTY },
      {
        at: '2026-03-15T12:00:00.000Z',
        runs: 6,
        succeeded: 2,
        failed: 1,
        not_run: 2,
        under_way: 1,
        p50_ms: 2_000,
        p95_ms: 120_000,
      },
    ])
  })

  it('has runs that were made in its time alone, in whole parts', async () => {
    await ran('2026-03-10T08:59:59.999Z', 'failed', 1)
    await ran('2026-03-10T09:00:00.000Z', 'succeeded', 1)
    await ran('2026-03-10T09:09:59.999Z', 'succeeded', 3_600_000)
    await ran('2026-03-10T09:10:00.000Z', 'failed', 1)
    const { items } = await read({ from: '2026-03-10T09:02:00.000Z', until: '2026-03-10T09:06:00.000Z' })
    expect(items.map(({ at, succeeded, failed, p95_ms }) => [at, succeeded, failed, p95_ms])).toEqual([
      ['2026-03-10T09:00:00.000Z', 1, 0, 1],
      ['2026-03-10T09:05:00.000Z', 1, 0, 3_600_000],
    ])
  })

  it.each([
    [{ from: NOW.toISOString() }, 'until', 'must be later than from'],
    [{ from: new Date(NOW.getTime() - 14 * DAY_MS - 1).toISOString() }, 'from', 'must be at most 14 days before until'],
  ])('is refused for the time %j', async (time, path, message) => {
    await expect(read(time)).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path, message }] })
  })

  it('is for those who build the app; a pipeline that does not exist or is of others is 404', async () => {
    const viewer = await system.member('viewer', shop.org_id)
    const asked = { alias: shop.alias, name: 'invoices' }
    await expect(system.client(viewer.token).call(readPipelineSeries, asked)).rejects.toMatchObject({ status: 403 })
    await expect(read({ name: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
    const { client, alias } = await newApp(system)
    await expect(client.call(readPipelineSeries, asked)).rejects.toMatchObject({ status: 404 })
    await expect(client.call(readPipelineSeries, { ...asked, alias })).rejects.toMatchObject({ status: 404 })
  })

  it('is found by the index of the history', async () => {
    const [from, until] = [lowestId('plr', new Date(NOW.getTime() - DAY_MS)), lowestId('plr', NOW)]
    const plan = await system.db.query<Record<string, string>>(sql`
      explain select count(*) from pipelines.runs
      where pipeline_id = ${pipeline} and id >= ${from} and id < ${until}`)
    expect(JSON.stringify(plan)).toContain('runs_page')
  })
})
