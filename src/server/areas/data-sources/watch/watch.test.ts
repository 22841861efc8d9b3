import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import type { SourceVectors } from '#contract/data-sources/vectors.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { releaseLease, takeLease } from '#lib/work/lease.ts'
import { seeded } from '#test/seeded.ts'
import { entry, runIn } from '#test/sources/configured-source.ts'
import { faultyRows, normalisedRows } from '#test/sources/planted-rows.ts'
import { makeTables, ROW_FAULTS } from '#test/sources/watched-nights.ts'
import { insertRows, startWatchedSource, type WatchedSource } from '#test/sources/watched-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { stateOf } from '../measure/index-state.ts'
import { requestMeasurement, saveMeasurement } from '../measure/store.ts'
import { findVectorIndexes } from '../search/indexes.ts'

const clock = testClock(new Date('2026-03-01T12:00:00.000Z'))
const random = seeded(26)
let system: System
let client: Client
let source: WatchedSource

beforeAll(async () => {
  system = await startSystem({ clock })
  client = system.client((await system.member('owner')).token)
  const tables = {
    ...makeTables(200, random),
    faulty: { type: 'vector', rows: faultyRows(600, random) },
  }
  source = await startWatchedSource(system, client, clock, { name: 'library', tables, random })
})
afterAll(async () => {
  await source?.[Symbol.asyncDispose]()
  await system?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await system.db.query(sql`delete from data_sources.vector_watch`)
})

const of = (vectors: readonly SourceVectors[], label: string) => vectors.find((each) => each.label === label)!
const kinds = ({ findings }: SourceVectors) => findings.map(({ kind }) => kind)
const shown = async () => (await client.call(getSource, { id: source.id })).vectors
const dueAt = async () =>
  (await system.db.query<{ due_at: Date }>(sql`select due_at from data_sources.vector_watch`))[0]!.due_at

describe('the nights of a source', () => {
  it('DS-26 find one bad row in a hundred of every kind within seven nights, and nothing in three clean tables', async () => {
    const found = new Set<string>()
    let last: readonly SourceVectors[] = []
    for (let night = 1; night <= 7; night++) {
      last = (await source.night()).vectors
      for (const kind of kinds(of(last, 'faulty'))) found.add(kind)
      for (const clean of ['normalised', 'raw', 'repetitive'])
        expect([of(last, clean).state, ...kinds(of(last, clean))]).toEqual(['clean'])
    }
    expect([...found].toSorted()).toEqual(ROW_FAULTS.toSorted())

    const listed: Record<string, number> = {}
    for (const { kind, sql: listing } of of(last, 'faulty').findings)
      listed[kind] = (await runIn(source.connection_string, listing)).length
    const each = { missing: 6, dimensions: 6, zero: 6, constant: 6, duplicate: 6, norms: 6 }
    expect(listed).toEqual({ ...each, models: expect.any(Number), stale: expect.any(Number) })
    const stored = await system.db.query<{ entries: object }>(sql`select entries from data_sources.vector_watch`)
    expect(JSON.stringify(stored)).not.toMatch(/w\d+ w\d+/)
  })

  it('DS-26 find vectors of another model without the model, and send no text to a provider outside unless allowed', async () => {
    const embedRows = async () => {
      throw new Error('texts were embedded')
    }
    await source.night({ placeOf: () => 'outside_not_allowed', embedRows })
    const { vectors } = await source.night({ placeOf: () => 'outside_not_allowed', embedRows })
    const faulty = of(vectors, 'faulty')
    expect(kinds(faulty)).toEqual(['missing', 'dimensions', 'zero', 'constant', 'duplicate', 'norms', 'models'])
    expect(faulty.not_checked).toEqual([
      {
        kind: 'stale',
        reason:
          'builtin/all-minilm-l6-v2 is a model of a provider outside, and the operator did not allow to send it row text',
      },
    ])
    const { sql: listing } = faulty.findings.find(({ kind }) => kind === 'models')!
    expect((await runIn(source.connection_string, listing)).length).toBeGreaterThanOrEqual(4)
  })

  it('DS-26 say that a model did not answer, and go on with what needs no model', async () => {
    const embedRows = async () => {
      throw new Error('away')
    }
    const { vectors } = await source.night({ embedRows })
    expect(of(vectors, 'faulty').not_checked).toEqual([{ kind: 'stale', reason: 'the model did not answer' }])
    expect(kinds(of(vectors, 'faulty'))).toContain('zero')
  })

  it('DS-26 forget a fault that was repaired, and notice a table that has grown since its index was measured', async () => {
    await runIn(source.connection_string, 'update raw set embedding = array_fill(0, array[384])::vector where id <= 20')
    await runIn(
      source.connection_string,
      'create index on normalised using ivfflat (embedding vector_cosine_ops) with (lists = 1)',
    )
    const target = '"public"."normalised"."embedding" cosine'
    await requestMeasurement(system.db, source.id, target, clock.now())
    const reader = await source.reader('', '')
    const table = { schema: 'public', table: 'normalised', vector_column: 'embedding' }
    const indexes = await reader.reads((on) => findVectorIndexes(on, table), sql`select 1`)
    await system.db.tx((tx) =>
      saveMeasurement(
        tx,
        { source_id: source.id, target },
        { ...stateOf(indexes!), rows: 200, choice: null, calibration: null, measured_at: clock.now() },
      ),
    )
    const { vectors: before } = await source.night()
    expect([kinds(of(before, 'raw')), kinds(of(before, 'normalised'))]).toEqual([['zero'], []])

    await runIn(source.connection_string, 'delete from raw where id <= 20')
    await insertRows(source.connection_string, 'normalised', 'vector(384)', normalisedRows(30, random))
    const { vectors: after } = await source.night()
    expect([kinds(of(after, 'raw')), kinds(of(after, 'normalised'))]).toEqual([[], ['grown']])
    expect(of(after, 'normalised').findings[0]).toMatchObject({ rows_seen: 30, rows_looked_at: 230 })
  })
})

describe('a source that cannot be looked at now', () => {
  const openReader = async () => {
    throw new Error('the database was opened')
  }

  it('DS-26 is not looked at before its first night', async () => {
    expect((await shown()).map(({ state, looked_at }) => [state, looked_at])).toEqual(
      Array.from({ length: 4 }, () => ['not_looked_at', null]),
    )
  })

  it('DS-26 is not started if its engine is stopped, and is tried again after four minutes', async () => {
    await source.night({ openReader, activityOf: async () => 'stopped' })
    expect((await dueAt()).getTime()).toBe(clock.now().getTime() + 4 * 60_000)
  })

  it('DS-26 waits ten minutes where it is in use', async () => {
    await source.night({ openReader, activityOf: async () => 'busy' })
    expect((await dueAt()).getTime()).toBe(clock.now().getTime() + 10 * 60_000)
  })

  it('DS-26 is left to the process that holds its lease', async () => {
    const lease = await takeLease(system.db, `watch:${source.id}`)
    await source.night({ openReader })
    await releaseLease(system.db, lease!)
    expect((await shown())[0]!.state).toBe('not_looked_at')
  })

  it('DS-26 is left until the next night with the reason if a statement takes too long, and the error has no text', async () => {
    const errors: string[] = []
    const reads = async () => {
      throw Object.assign(new Error('canceling statement'), { code: '57014' })
    }
    const { vectors } = await source.night({
      openReader: async () => ({ reads }),
      onError: (error) => errors.push((error as Error).message),
    })
    expect(vectors[0]).toMatchObject({
      state: 'not_looked_at',
      reason: 'the last look was given up, because a statement took longer than 10 seconds',
    })
    expect(errors).toHaveLength(4)
    const hoursUntil = ((await dueAt()).getTime() - clock.now().getTime()) / 3_600_000
    expect(hoursUntil).toBeGreaterThan(4)
  })

  it('DS-26 has the reason where it is a view', async () => {
    await runIn(source.connection_string, 'create view seen as select * from repetitive')
    const embedding_configs = [entry({ table: 'seen', content_columns: 'id, title, body' })]
    await client.call(configureSource, { id: source.id, connection_config: { embedding_configs } })
    const { vectors } = await source.night()
    expect(vectors).toMatchObject([{ state: 'not_possible', reason: 'a view or a foreign table cannot be sampled' }])
  })
})
