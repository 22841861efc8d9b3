import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { findMeasurements, MEASUREMENTS_CHANNEL } from './store.ts'

const TABLE = `
  create table articles as
  select n as id, 'article' || n as title,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 100) n;
  create index near on articles using hnsw (embedding vector_cosine_ops);
  analyze articles`

const clock = testClock(new Date())
let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>

beforeAll(async () => {
  system = await startSystem({ clock, env: { SVC_MEASURE_INDEXES: 'true' } })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'library', TABLE)
  await client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [entry({})] } })
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const ask = () => client.call(querySource, { id: 'db_library', query: 'anything', top_k: 5 })
const shown = async () => (await client.call(getSource, { id: 'db_library' })).plan[0]!.measured

/** Lets the worker try until it finds the source at rest. Looks at the store, because showing a source uses it. */
const measured = () =>
  until(async () => {
    clock.advance(10 * 60_000)
    await system.db.query(sql`select pg_notify(${MEASUREMENTS_CHANNEL}, '')`)
    return (await findMeasurements(system.db, source.id)).find(
      ({ due_at, target }) => due_at === null && target.endsWith(' cosine'),
    )?.measured
  })

it('DS-15 a question has its index measured, which is shown, not recorded in Activity, and repeated after a rebuild', async () => {
  expect(await shown()).toBeNull()
  expect((await ask()).count).toBe(5)
  const first = await measured()
  expect(await shown()).toEqual({ recall: 1, questions: 200, at: first.measured_at.toISOString() })

  clock.advance(60_000)
  await runIn(source.connection_string, 'reindex index near')
  expect(await shown()).toBeNull()
  expect((await ask()).count).toBe(5)
  const second = await measured()
  expect(second.measured_at.getTime()).toBeGreaterThan(first.measured_at.getTime())
  expect(await shown()).toEqual({ recall: 1, questions: 200, at: second.measured_at.toISOString() })

  const { items } = await client.call(listActivity, { type: 'data_sources' })
  expect(items.filter(({ target }) => target === 'db_library')).toHaveLength(2)
})

/** The handbook that ships as an example, with its vectors. */
async function makeHandbook() {
  const folder = new URL('../../../../../examples/handbook/', import.meta.url)
  const articles = JSON.parse(readFileSync(new URL('articles.json', folder), 'utf8')) as Record<string, string>[]
  const bytes = readFileSync(new URL('vectors.bin', folder)).subarray(32)
  const vectors = articles.map((_, n) =>
    JSON.stringify(Array.from({ length: 384 }, (_number, i) => bytes.readFloatLE(4 * (384 * n + i)))),
  )
  const columns = 'slug text, title text, body text, category text, embedding vector(384)'
  const handbook = await makeSource(client, 'handbook', `create table articles (${columns})`)
  const owner = new pg.Client({ connectionString: handbook.connection_string })
  await owner.connect()
  await owner.query(
    'insert into articles select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::vector[])',
    [...['slug', 'title', 'body', 'category'].map((name) => articles.map((article) => article[name])), vectors],
  )
  await owner.query('analyze articles')
  await owner.end()
  return handbook
}

describe('the relevance of hits', () => {
  const ENTRY = entry({ content_columns: 'slug, title, body', table: 'articles' })
  const configure = (over: object) =>
    client.call(configureSource, {
      id: 'db_handbook',
      connection_config: { embedding_configs: [ENTRY], ...over },
      filter_schema: { category: 'string' },
    })
  const query = (question: string, filters = {}) =>
    client.call(querySource, { id: 'db_handbook', query: question, filters, top_k: 3 })
  const plan = async () => (await client.call(getSource, { id: 'db_handbook' })).plan[0]!
  const FOREIGN = 'Which river flows through Budapest?'
  const ANSWERED = 'how many vacation days do employees get in a year'

  it('DS-25 is measured after a question, also without an index, and answers say what a question found', async () => {
    const { id } = await makeHandbook()
    await configure({})
    await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
    const before = await query(ANSWERED)
    expect(before).toMatchObject({ count: 3, answerable: 'unknown' })
    expect(before).not.toHaveProperty('answerable_error_rate')
    expect(before.results.map(({ metadata }) => metadata._relevance)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(await plan()).toMatchObject({ method: 'exact', relevance: { outcome: 'unknown', reason: 'not_measured' } })

    await until(async () => {
      clock.advance(10 * 60_000)
      await system.db.query(sql`select pg_notify(${MEASUREMENTS_CHANNEL}, '')`)
      return (await findMeasurements(system.db, id)).find(({ measured: done }) => done?.calibration)
    })
    clock.advance(60_000)
    expect(await plan()).toMatchObject({ relevance: { outcome: 'separated', reason: null, error_rate: 0.05 } })
    const answered = await query(ANSWERED)
    expect(answered).toMatchObject({ count: 3, answerable: 'yes', answerable_error_rate: 0.05 })
    expect(answered.results[0]!.metadata._relevance).toBe('likely')
    const foreign = await query(FOREIGN)
    expect(foreign).toMatchObject({ count: 3, answerable: 'no', answerable_error_rate: 0.05 })
    expect(foreign.results.map(({ metadata }) => metadata._relevance)).toEqual(['unlikely', 'unlikely', 'unlikely'])
    expect(await query(ANSWERED, { category: 'none' })).toMatchObject({ count: 0, answerable: 'no' })
  })

  it('DS-25 leaves out hits below the minimum of the source, and forgets nothing that was measured', async () => {
    await configure({ min_relevance: 'possible' })
    expect(await query(FOREIGN)).toMatchObject({ count: 0, results: [], answerable: 'no' })
    expect((await query(ANSWERED)).count).toBeGreaterThan(0)
    const saved = await client.call(getSource, { id: 'db_handbook' })
    expect(saved.connection_config).toMatchObject({ min_relevance: 'possible' })
  })

  it('DS-25 is unknown again for other content or another error rate, and a minimum then leaves out nothing', async () => {
    await configure({ min_relevance: 'likely', error_rate: 0.01 })
    expect(await query(FOREIGN)).toMatchObject({ count: 3, answerable: 'unknown' })
    await client.call(configureSource, {
      id: 'db_handbook',
      connection_config: { embedding_configs: [{ ...ENTRY, content_columns: 'slug, title' }], min_relevance: 'likely' },
    })
    expect(await query(FOREIGN)).toMatchObject({ count: 3, answerable: 'unknown' })
  })

  it.each([{ min_relevance: 'unlikely' }, { error_rate: 0.5 }])('DS-25 a save with %j is refused', async (over) => {
    await expect(configure(over)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })
})
