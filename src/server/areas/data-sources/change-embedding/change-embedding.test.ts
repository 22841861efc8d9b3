import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { changeEmbedding, queryWithEmbedding } from '#contract/data-sources/embedding-change.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const FROM = { column: 'embedding', model: 'fake/fake-small' }
const TO = { column: 'second', model: 'other/fake-small', dimensions: 8 }
const CHANGE = { table: 'public.articles', from: FROM, to: TO }
const ENTRY = { label: 'a', table: 'articles', model: FROM.model, dimensions: 8, content_columns: 'id, title' }
const NOTES = { ...ENTRY, label: 'notes', table: 'notes' }

let system: System
let fakes: FakeEmbeddings[]
let client: Client
let developer: Client
let source: Awaited<ReturnType<typeof makeSource>>

/** The nearest row by the first column is 1, by the second 2. */
const near = `'[${fakeVector('q').join(',')}]'`
const TABLES = `
  create table articles (id int primary key, title text, embedding vector(8), second vector(8), wide vector(16));
  insert into articles values (1, 'one', ${near}, '[1,0,0,0,0,0,0,0]'),
    (2, 'two', '[0,0,0,0,0,0,0,1]', '[${fakeVector('q', 8, 'other').join(',')}]');
  create table notes (id int primary key, title text, embedding vector(8))`

beforeAll(async () => {
  fakes = [await startFakeEmbeddings(), await startFakeEmbeddings({ salt: 'other' })]
  const providers = [fakes[0]!.provider('fake'), fakes[1]!.provider('other')]
  system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify(providers) } })
  const { token, org_id } = await system.member('owner')
  client = system.client(token)
  developer = system.client((await system.member('developer', org_id)).token)
  source = await makeSource(client, 'docs', TABLES)
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  for (const fake of fakes ?? []) await fake[Symbol.asyncDispose]()
})
beforeEach(async () => {
  const connection_config = { embedding_configs: [ENTRY, NOTES] }
  await client.call(configureSource, { id: source.id, connection_config, filter_schema: { title: 'string' } })
})

const change = (over: object = {}, by = client) => by.call(changeEmbedding, { id: source.id, ...CHANGE, ...over })
const query = (embedding: object = {}, by = client) =>
  by.call(queryWithEmbedding, { id: source.id, query: 'q', target: 'a', embedding: { ...CHANGE, ...embedding } })
const nearest = async () => (await client.call(querySource, { id: source.id, query: 'q', target: 'a' })).results[0]?.id
const entries = async () => (await client.call(getSource, { id: source.id })).connection_config.embedding_configs

describe('DS-27 a change of model and column', () => {
  it('concerns the entries of the table that use the old column, and nothing else', async () => {
    expect(await nearest()).toBe('1')
    expect(await change({}, developer)).toMatchObject({ changed: ['a'], filter_schema: { title: 'string' } })
    const full = { columns: ['embedding'], distance_metric: 'cosine' }
    expect(await entries()).toEqual([
      { ...ENTRY, ...full, columns: ['second'], model: TO.model },
      { ...NOTES, ...full },
    ])
    expect(await nearest()).toBe('2')
    expect(await change()).toMatchObject({ changed: [] })
    expect(await change({ from: TO_SIDE, to: { ...FROM, dimensions: 8 } })).toMatchObject({ changed: ['a'] })
    expect(await nearest()).toBe('1')
  })

  it.each([
    ['CONFLICT', { from: { ...FROM, column: 'third' }, to: { ...TO, column: 'fourth' } }],
    ['CONFLICT', { from: { ...FROM, model: 'other/fake-small' }, to: { ...TO, column: 'fourth' } }],
    ['CONFLICT', { table: 'other.articles' }],
    ['INVALID_SEARCH_CONFIGURATION', { to: { ...TO, column: 'wide' } }],
    ['INVALID_SEARCH_CONFIGURATION', { to: { ...TO, column: 'none' } }],
    ['INVALID_SEARCH_CONFIGURATION', { to: { ...TO, model: 'other/none' } }],
    ['INVALID_REQUEST', { to: { ...TO, dimensions: 0 } }],
  ])('is refused with %s for %j, also as a question, and nothing changes', async (code, over) => {
    expect(await codeOf(change(over))).toBe(code)
    expect(await codeOf(query(over))).toBe(code)
    expect(await entries()).toMatchObject([{ model: FROM.model }, { model: FROM.model }])
    expect(await nearest()).toBe('1')
  })
})

const TO_SIDE = { column: TO.column, model: TO.model }

describe('DS-27 a question as it would be answered by another model', () => {
  it('is answered by the rules of a question, recorded, and changes nothing', async () => {
    const { results } = await query()
    expect(results.map(({ id }) => id)).toEqual(['2', '1'])
    expect(await nearest()).toBe('1')
    const filtered = { id: source.id, query: 'q', filters: { title: 'one' }, embedding: CHANGE }
    expect((await client.call(queryWithEmbedding, filtered)).results.map(({ id }) => id)).toEqual(['1'])
    expect(await codeOf(client.call(queryWithEmbedding, { ...filtered, filters: { id: '1' } }))).toBe('INVALID_REQUEST')
    const records = await system.db.query<{ target: string }>(sql`
      select target from activity.records order by id desc limit 4`)
    expect(records.map(({ target }) => target)).toEqual(['db_docs', 'db_docs', 'db_docs', 'db_docs'])
  })

  it('is recorded with its source also where the change does not fit it', async () => {
    const newest = async () =>
      (
        await system.db.query<{ id: string; target: string }>(sql`
        select id, target from activity.records order by id desc limit 1`)
      )[0]!
    const before = await newest()
    expect(await codeOf(query({ to: { ...TO, column: 'none' } }))).toBe('INVALID_SEARCH_CONFIGURATION')
    const { id, target } = await newest()
    expect(id > before.id && target).toBe('db_docs')
  })

  it('goes with the table: a column that was dropped since is reported', async () => {
    await query()
    await runIn(source.connection_string, 'alter table articles rename column second to gone')
    expect(await codeOf(query())).toBe('SOURCE_CHANGED')
    await runIn(source.connection_string, 'alter table articles rename column gone to second')
  })

  it('is refused below the minimum role, and for a source that is not exposed or unknown', async () => {
    await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'admin' })
    expect(await codeOf(query({}, developer))).toBe('FORBIDDEN')
    await client.call(exposeSource, { id: source.id, exposed: false })
    expect(await codeOf(query())).toBe('NOT_FOUND')
    await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
    const stranger = system.client((await system.member('owner')).token)
    expect([await codeOf(query({}, stranger)), await codeOf(change({}, stranger))]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
  })
})

needs('postgres')('DS-27 a question by another model while somebody saves', () => {
  const save = () => client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [NOTES] } })
  const mayRead = async () => {
    const reader = new URL(await readerOf(system, source)).username
    const [row] = await runIn(
      source.connection_string,
      `select has_column_privilege('${reader}', 'articles', 'second', 'select') as may`,
    )
    return row!.may
  }

  it('gives no right that the save takes back: one waits for the other', async () => {
    const other = new pg.Client({ connectionString: source.connection_string })
    await other.connect()
    try {
      await other.query('begin; lock table articles in access exclusive mode')
      const asked = codeOf(query())
      const waiting = `select from pg_locks where relation = 'articles'::regclass and not granted`
      await until(async () => (await other.query(waiting)).rows.length > 0)
      expect(await codeOf(save())).toBe('CONFLICT')
      await other.query('commit')
      await asked
      await save()
      expect(await mayRead()).toBe(false)
    } finally {
      await other.end()
    }
  })
})
