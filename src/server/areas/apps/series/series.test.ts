import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { countRequests, readSeries } from '#contract/apps/series.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'
import type { AppSums } from '../counts/app-counts.ts'
import { seriesLoop, seriesRetention } from './loops.ts'
import { addSums } from './store.ts'

const NOW = new Date('2026-03-15T12:10:00.000Z')
const DAY_MS = 24 * 60 * 60_000

describe('AP-02 how an app did over time', () => {
  const clock = testClock(new Date('2026-02-01T00:00:00.000Z'))
  let system: System
  let client: ReturnType<System['client']>
  let label: string
  let orgId: string
  const counted = (at: string, sums: Partial<AppSums> = {}): AppSums => ({
    label,
    at: Date.parse(at),
    requests: 1,
    failed: 0,
    latencies: [1],
    memoryBytes: null,
    ...sums,
  })
  const read = (input: { from?: string; until?: string } = {}) => client.call(readSeries, { alias: 'shop', ...input })
  beforeAll(async () => {
    system = await startSystem({ clock })
    const developer = await system.member('developer')
    orgId = developer.org_id
    client = system.client(developer.token)
    await client.call(createApp, { alias: 'shop' })
    const [app] = await system.db.query<{ host_label: string }>(sql`select host_label from apps.apps`)
    label = app!.host_label
    clock.set(NOW)
    await addSums(system.db, [
      counted('2026-03-15T12:05:00.000Z', { requests: 3, failed: 1, latencies: [1, 0, 1], memoryBytes: 70 }),
      counted('2026-03-15T12:00:00.000Z', { requests: 0, latencies: [], memoryBytes: 90 }),
      counted('2026-03-15T12:00:00.000Z', { label: 'nobody' }),
      // These are counts of a former app with the same name.
      counted('2026-01-31T12:00:00.000Z'),
    ])
    await addSums(system.db, [counted('2026-03-15T12:05:00.000Z', { latencies: [1, 0, 0, 4], memoryBytes: 60 })])
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('is the last day in parts of five minutes, with what was counted and null where nothing was', async () => {
    const { bucket_seconds, items, deploys } = await read()
    expect([bucket_seconds, items.length, deploys]).toEqual([300, 288, []])
    expect(items.at(-3)).toEqual({
      at: '2026-03-15T11:55:00.000Z',
      requests: null,
      failed: null,
      p50_ms: null,
      p95_ms: null,
      memory_bytes: null,
    })
    expect(items.at(-2)).toMatchObject({ requests: 0, failed: 0, p50_ms: null, memory_bytes: 90 })
    expect(items.at(-1)).toMatchObject({ requests: 4, failed: 1, p50_ms: 2, p95_ms: 3, memory_bytes: 70 })
    const stored = await system.db.query(sql`select count(*)::int as rows from apps.series`)
    expect(stored).toEqual([{ rows: 2 }])
  })

  it('names the deploys that went live in the time', async () => {
    const [app] = await system.db.query<{ id: string }>(sql`select id from apps.apps`)
    const { id: appId } = app!
    await system.db.query(sql`
      insert into apps.revisions (id, app_id, org_id, digest, manifest, file_count, total_bytes, message, created_at)
      values ('rev_1', ${appId}, ${orgId}, '\\x00', '[]', 0, 0, 'Open the shop', now())`)
    for (const [id, state, liveAt] of [
      ['dep_2', 'live', '2026-03-15T12:06:00.000Z'],
      ['dep_1', 'retired', '2026-03-15T11:00:00.000Z'],
      ['dep_0', 'retired', '2026-03-10T11:00:00.000Z'],
    ])
      await system.db.query(sql`
        insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at, live_at)
        values (${id}, ${appId}, ${orgId}, 'rev_1', 'deploy', ${state}, now(), ${new Date(liveAt!)})`)
    expect((await read()).deploys).toEqual([
      { id: 'dep_1', message: 'Open the shop', live_at: '2026-03-15T11:00:00.000Z' },
      { id: 'dep_2', message: 'Open the shop', live_at: '2026-03-15T12:06:00.000Z' },
    ])
  })

  it.each([
    [{ from: NOW.toISOString() }, 'until', 'must be later than from'],
    [{ from: new Date(NOW.getTime() - 14 * DAY_MS - 1).toISOString() }, 'from', 'must be at most 14 days before until'],
  ])('is refused for the time %j', async (time, path, message) => {
    await expect(read(time)).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path, message }] })
  })

  it('of an app that does not exist is 404', async () => {
    await expect(client.call(readSeries, { alias: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  it('is counted by hour for the apps in which one has a part, and of all for developers', async () => {
    const { items } = await client.call(countRequests, {})
    expect(items).toMatchObject([{ hours: { length: 24 } }])
    const [{ app_id, hours }] = items as [(typeof items)[number]]
    expect(hours.at(-1)).toEqual({ at: '2026-03-15T12:00:00.000Z', requests: 4, failed: 1 })
    expect(hours[0]).toEqual({ at: '2026-03-14T13:00:00.000Z', requests: null, failed: null })
    const viewer = await system.member('viewer', orgId)
    const readAsViewer = async () => (await system.client(viewer.token).call(countRequests, {})).items
    expect(await readAsViewer()).toEqual([])
    await system.db.query(sql`
      insert into apps.people (app_id, user_id, part, added_by, added_at)
      values (${app_id}, ${viewer.user_id}, 'builder', 'usr_1', now())`)
    expect(await readAsViewer()).toEqual(items)
    const stranger = system.client((await system.member('owner')).token)
    expect((await stranger.call(countRequests, {})).items).toEqual([])
  })

  it('is counted no further while the database does not answer, and nothing twice', async () => {
    const taken: string[] = []
    let isUp = true
    const db = {
      ...system.db,
      query: (async (...query: Parameters<typeof system.db.query>) => {
        if (!isUp) throw new Error('no answer')
        return system.db.query(...query)
      }) as typeof system.db.query,
    }
    const loop = seriesLoop({
      db,
      takeCounts: async () => {
        taken.push('taken')
        return [counted('2026-03-15T12:00:00.000Z')]
      },
    })
    const tick = () => loop.tick(NOW, new AbortController().signal)
    isUp = false
    await expect(tick()).rejects.toThrow()
    await expect(tick()).rejects.toThrow()
    expect(taken).toHaveLength(1)
    isUp = true
    expect(await tick()).toEqual(new Date(NOW.getTime() + 5_000))
    expect(taken).toHaveLength(2)
    expect((await read()).items.at(-2)).toMatchObject({ requests: 1 })
  })

  it('is removed after 14 days', async () => {
    await addSums(system.db, [counted('2026-03-01T12:05:00.000Z'), counted('2026-03-01T12:10:00.000Z')])
    await seriesRetention(system).tick(NOW, new AbortController().signal)
    const rows = await system.db.query<{ at: Date }>(sql`select at from apps.series order by at`)
    expect(rows.map(({ at }) => at.toISOString())).toEqual([
      '2026-03-01T12:10:00.000Z',
      '2026-03-15T12:00:00.000Z',
      '2026-03-15T12:05:00.000Z',
    ])
  })
})
