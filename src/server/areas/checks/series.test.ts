import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheck } from '#contract/checks/checks.ts'
import { readCheckSeries } from '#contract/checks/series.ts'
import { lowestId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'

const NOW = new Date('2026-03-15T12:10:00.000Z')
const DAY_MS = 24 * 60 * 60_000
const idAt = (at: Date) => lowestId('ckr', at)
const EMPTY = { state: null, runs: 0, passed: 0, failed: 0, errors: 0, indeterminate: 0, p50_ms: null, p95_ms: null }

describe('CO-16 how the runs of a check went', () => {
  const clock = testClock(new Date('2026-02-01T00:00:00.000Z'))
  let system: System
  let shop: TestApp
  let check: string
  let runs = 0
  const read = (input: { from?: string; until?: string; check?: string } = {}) =>
    shop.client.call(readCheckSeries, { alias: shop.alias, check, ...input })
  beforeAll(async () => {
    system = await startSystem({ clock, env: { SVC_CHECK_RETENTION_DAYS: '3650' } })
    shop = await newApp(system)
    check = await create('Front page')
    clock.set(NOW)
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function create(name: string): Promise<string> {
    const definition = { kind: 'http' as const, target: '/up' }
    const schedule = { cron: '0 0 1 1 *' }
    return (await shop.client.call(createCheck, { alias: shop.alias, name, definition, schedule })).id
  }

  async function ran(endedAt: string, verdict: string, tookMs = 100, checkId = check): Promise<void> {
    const ended = new Date(endedAt)
    const started = new Date(ended.getTime() - tookMs)
    const id = idAt(started).slice(0, -4) + String(++runs).padStart(4, '0')
    await system.db.query(sql`
      insert into checks.runs (id, check_id, org_id, app_id, trigger, state, created_at, started_at, ended_at, verdict)
      select ${id}, id, org_id, app_id, 'manual', 'ended', ${started}, ${started}, ${ended}, ${verdict}
      from checks.checks where id = ${checkId}`)
  }

  it('is the last day in parts of half an hour, none of which had a run', async () => {
    const { bucket_seconds, items } = await read()
    expect([bucket_seconds, items.length]).toEqual([1_800, 49])
    expect(items[0]).toEqual({ at: '2026-03-14T12:00:00.000Z', ...EMPTY })
    expect(items.at(-1)).toEqual({ at: '2026-03-15T12:00:00.000Z', ...EMPTY })
  })

  it('counts the runs of each part by verdict with how long they took, also beside one without a run', async () => {
    await ran('2026-03-15T11:29:59.999Z', 'pass', 50)
    await ran('2026-03-15T12:00:00.000Z', 'pass', 400)
    await ran('2026-03-15T12:01:00.000Z', 'fail', 300)
    await ran('2026-03-15T12:02:00.000Z', 'error', 200)
    await ran('2026-03-15T12:03:00.000Z', 'indeterminate', 100)
    await ran('2026-03-15T12:04:00.000Z', 'pass', 9_000, await create('Another'))
    const { items } = await read()
    expect(items.slice(-3)).toEqual([
      { at: '2026-03-15T11:00:00.000Z', ...EMPTY, state: 'pass', runs: 1, passed: 1, p50_ms: 50, p95_ms: 50 },
      { at: '2026-03-15T11:30:00.000Z', ...EMPTY },
      {
        at: '2026-03-15T12:00:00.000Z',
        state: 'mixed',
        runs: 4,
        passed: 1,
        failed: 1,
        errors: 1,
        indeterminate: 1,
        p50_ms: 200,
        p95_ms: 400,
      },
    ])
  })

  it('a time with 30 of 31 passes is not a failed one', async () => {
    for (let minute = 0; minute < 31; minute++)
      await ran(new Date(Date.UTC(2026, 2, 12, 6, minute)).toISOString(), minute === 30 ? 'fail' : 'pass')
    const { bucket_seconds, items } = await read({ from: '2026-03-02T00:00:00.000Z', until: '2026-03-15T12:00:00Z' })
    expect([bucket_seconds, items.length]).toEqual([21_600, 54])
    expect(items.filter(({ at }) => at.startsWith('2026-03-12')).map((point) => [point.runs, point.state])).toEqual([
      [0, null],
      [31, 'mixed'],
      [0, null],
      [0, null],
    ])
  })

  it('has runs that ended in its time alone, in whole parts', async () => {
    await ran('2026-03-10T08:59:59.999Z', 'fail')
    await ran('2026-03-10T09:00:00.000Z', 'pass')
    await ran('2026-03-10T09:09:59.999Z', 'pass', 600_000)
    await ran('2026-03-10T09:10:00.000Z', 'fail')
    const { items } = await read({ from: '2026-03-10T09:02:00.000Z', until: '2026-03-10T09:06:00.000Z' })
    expect(items.map(({ at, passed, failed }) => [at, passed, failed])).toEqual([
      ['2026-03-10T09:00:00.000Z', 1, 0],
      ['2026-03-10T09:05:00.000Z', 1, 0],
    ])
  })

  it.each([
    [{ from: NOW.toISOString() }, 'until', 'must be later than from'],
    [{ from: new Date(NOW.getTime() - 14 * DAY_MS - 1).toISOString() }, 'from', 'must be at most 14 days before until'],
  ])('is refused for the time %j', async (time, path, message) => {
    await expect(read(time)).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path, message }] })
  })

  it('is for those who build the app; a check that does not exist or is of others is 404', async () => {
    const viewer = await system.member('viewer', shop.org_id)
    const asked = { alias: shop.alias, check }
    await expect(system.client(viewer.token).call(readCheckSeries, asked)).rejects.toMatchObject({ status: 403 })
    await expect(read({ check: 'None' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
    const { client, alias } = await newApp(system)
    await expect(client.call(readCheckSeries, asked)).rejects.toMatchObject({ status: 404 })
    await expect(client.call(readCheckSeries, { alias, check })).rejects.toMatchObject({ status: 404 })
  })

  it('is found by the index of the history', async () => {
    const plan = await system.db.query<Record<string, string>>(sql`
      explain select count(*) from checks.runs
      where check_id = ${check} and id >= ${idAt(new Date(NOW.getTime() - DAY_MS))}`)
    expect(JSON.stringify(plan)).toContain('runs_page')
  })
})
