import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import type { Client } from '#contract/core/client.ts'
import { checkSearch, previewSearch } from '#contract/data-sources/check-search.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { listTables } from '#contract/database-tables.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { readerOf, runIn } from '#test/sources/configured-source.ts'
import { ARTICLES, fakeLiteral, makeAskable } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

/** `reports` runs a function of the owner in the middle of a preview, which reports what the preview may do. */
const TABLES = `
  ${ARTICLES};
  alter table articles add column secret text default 'hidden';
  insert into articles values (3, 'Empty', 'leave', null);
  create table attempts (text text);
  create function attempt(command text) returns text language plpgsql as $$ begin
    execute command;
    return 'allowed';
  exception when others then return sqlstate;
  end $$;
  create function facts() returns text language sql as $$
    select json_build_object('own', current_user <> (
        select pg_get_userbyid(relowner) from pg_catalog.pg_class where relname = 'articles'),
      'read_only', current_setting('transaction_read_only'),
      'path', current_setting('search_path'),
      'insert', public.attempt('insert into public.attempts values (1)'),
      'switched', public.attempt('set transaction read write; insert into public.attempts values (1)'),
      'table', public.attempt('create table public.mine (id int)'),
      'commit', public.attempt('commit'),
      'other column', public.attempt('select secret from public.articles'))::text $$;
  create view reports as select id, facts() as title, category, embedding from articles;
  create table notes (id int primary key, title text, owner text, embedding vector(8));
  insert into notes values (1, 'Mine', 'all', ${fakeLiteral('sick')}), (2, 'Other', 'nobody', ${fakeLiteral('sick')});
  alter table notes enable row level security;
  create policy readable on notes for select using (owner = 'all')`

let fake: FakeEmbeddings
let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeAskable>>
let reader: string

beforeAll(async () => {
  fake = await startFakeEmbeddings()
  system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
  client = system.client((await system.member('admin')).token)
  source = await makeAskable(client, 'docs', { sql: TABLES })
  reader = await readerOf(system, source)
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const entry = (over: object) => ({
  label: 'a',
  table: 'articles',
  columns: ['embedding'],
  model: 'fake/fake-small',
  dimensions: 8,
  content_columns: 'id, title',
  distance_metric: 'cosine',
  ...over,
})
const document = (...entries: object[]) => ({
  id: 'db_docs',
  connection_config: { embedding_configs: entries.map((over) => entry(over)) },
  filter_schema: {},
})
const preview = (...entries: object[]) =>
  client.call(previewSearch, { ...document(...entries), query: 'sick', top_k: 1 })
const selectAs = (connection: string, column: string) =>
  runIn(connection, `select ${column} from public.articles`).then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  )

describe('CO-07 the tables of a database', () => {
  it('are listed with their columns, counted rows and how much of each vector column is filled', async () => {
    const { items, left_out } = await client.call(listTables, { name: 'docs' })
    expect(left_out).toBe(0)
    expect(items.map(({ schema, name, kind }) => [schema, name, kind])).toEqual([
      ['public', 'articles', 'table'],
      ['public', 'attempts', 'table'],
      ['public', 'notes', 'table'],
      ['public', 'reports', 'view'],
    ])
    const [articles, , notes, reports] = items
    expect(articles).toMatchObject({ rows: { rows: 3, is_estimate: false }, columns_left_out: 0 })
    expect(articles!.bytes).toBeGreaterThan(0)
    expect(articles!.columns.map(({ name, type, is_key }) => [name, type, is_key])).toEqual([
      ['id', 'integer', true],
      ['title', 'text', false],
      ['category', 'text', false],
      ['embedding', 'public.vector(8)', false],
      ['secret', 'text', false],
    ])
    expect(articles!.columns[3]).toMatchObject({ dimensions: 8, filled: { rows: 2, is_estimate: false } })
    expect(notes!.has_row_security).toBe(true)
    // The function of the view was not run: nothing of it is read.
    expect(reports).toMatchObject({ rows: null, bytes: null })
  })

  it('are read one at a time by name, and a name without a table is refused', async () => {
    const { items } = await client.call(listTables, { name: 'docs', table: 'public.notes' })
    expect(items.map(({ name }) => name)).toEqual(['notes'])
    expect(await codeOf(client.call(listTables, { name: 'docs', table: 'public.none' }))).toBe('NOT_FOUND')
    expect(await codeOf(client.call(listTables, { name: 'docs', table: '"' }))).toBe('NOT_FOUND')
  })
})

needs('postgres')('CO-07 the tables of a database, one of which is locked', () => {
  beforeAll(async () => {
    await runIn(
      source.connection_string,
      `create table parts (id int) partition by range (id);
       create table part_one partition of parts for values from (0) to (10);
       create index on articles (title)`,
    )
  })
  afterAll(() => runIn(source.connection_string, 'drop table parts'))

  it.each([
    ['articles', 'lock table articles in access exclusive mode'],
    ['articles', 'reindex table articles'],
    ['parts', 'lock table part_one in access exclusive mode'],
  ])('are listed all the same, %s without its size (%s)', async (locked, statement) => {
    const other = new pg.Client({ connectionString: source.connection_string })
    await other.connect()
    try {
      await other.query(`begin; ${statement}`)
      const { items } = await client.call(listTables, { name: 'docs' })
      const unknown = items.filter(({ kind, bytes }) => kind.endsWith('table') && bytes === null)
      expect(unknown.map(({ name }) => name)).toEqual([locked])
    } finally {
      await other.end()
    }
  })
})

describe('CO-07 a check', () => {
  it('answers a document that fits with its plan and the statement of the index that would help', async () => {
    const checked = await client.call(checkSearch, document({ content_columns: 'id, title, secret' }))
    expect(checked.faults).toEqual([])
    expect(checked.plan).toEqual([
      {
        label: 'a',
        method: 'exact',
        index: null,
        reason: '"embedding" of public.articles has no hnsw or ivfflat index',
        index_statement:
          'create index concurrently on "public"."articles" using hnsw ("embedding" "public"."vector_cosine_ops");',
      },
    ])
    expect(checked.warnings).toEqual([
      '"embedding" of public.articles has no hnsw or ivfflat index: questions compare all rows',
    ])
    expect(checked.model_checks.map(({ outcome }) => outcome)).toEqual(['not_compared'])
  })

  it('lists the faults that a save refuses, each at its place, and saves nothing', async () => {
    const faulty = document({ table: 'article' }, { label: 'b', columns: ['category'], dimensions: 9 })
    const before = await client.call(getSource, { id: 'db_docs' })
    const { faults } = await client.call(checkSearch, faulty)
    expect(faults.map(({ path }) => path)).toEqual([
      'connection_config.embedding_configs.1.dimensions',
      'connection_config.embedding_configs.0.table',
      'connection_config.embedding_configs.1.columns',
    ])
    const refused = await client.call(configureSource, faulty).catch((error: { errors: unknown }) => error)
    expect(refused).toMatchObject({ errors: faults })
    expect(await client.call(getSource, { id: 'db_docs' })).toEqual(before)
  })

  it('needs a source of the organization', async () => {
    expect(await codeOf(client.call(checkSearch, { ...document({}), id: 'db_none' }))).toBe('NOT_FOUND')
  })
})

describe('CO-07 a preview', () => {
  it('answers a question under a document that is not saved, which saved questions do not notice', async () => {
    const answer = await preview({ content_columns: 'id, title, secret' })
    expect(answer.results).toMatchObject([{ id: '1', title: 'Sick days', metadata: { secret: 'hidden' } }])
    const asked = await client.call(querySource, { id: 'db_docs', query: 'sick', top_k: 1 })
    expect(asked.results[0]!.metadata).not.toHaveProperty('secret')
    expect(await selectAs(reader, 'title')).toBe('allowed')
    expect(await selectAs(reader, 'secret')).toBe('42501')
  })

  it('is recorded in Activity like a question, with its status, and never with its text', async () => {
    const list = async () => (await client.call(listActivity, { type: 'data_sources', limit: 100 })).items
    const before = (await list()).length
    await preview({})
    await preview({ table: 'article' }).catch(() => undefined)
    await client.call(previewSearch, { ...document({}), id: 'db_none', query: 'sick' }).catch(() => undefined)
    await client.call(previewSearch, { ...document({}), query: '' }).catch(() => undefined)
    const added = async () => (await list()).slice(0, -before || undefined)
    await until(async () => (await added()).every(({ status }) => status !== null))
    expect((await added()).map(({ target, status }) => [target, status])).toEqual([
      ['db_docs', 400],
      ['unknown', 404],
      ['db_docs', 400],
      ['db_docs', 200],
    ])
  })

  it('runs read-only as a role that may read the columns of the document and nothing else', async () => {
    const { results } = await preview({ table: 'reports' })
    expect(JSON.parse(results[0]!.title!)).toEqual({
      own: true,
      read_only: 'on',
      path: 'pg_catalog',
      insert: '25006',
      switched: '25001',
      table: '25006',
      commit: '0A000',
      'other column': '42501',
    })
    expect(await runIn(source.connection_string, 'select text from attempts')).toEqual([])
  })

  it('shows the rows that row-level security shows to questions', async () => {
    const answer = await client.call(previewSearch, { ...document({ table: 'notes' }), query: 'sick' })
    expect(answer.results.map(({ id }) => id)).toEqual(['1'])
  })

  it('is refused for a document with faults or without a table, and for an unknown source', async () => {
    expect(await codeOf(preview({ content_columns: 'id, none' }))).toBe('INVALID_SEARCH_CONFIGURATION')
    expect(await codeOf(preview())).toBe('NO_SEARCH_CONFIGURED')
    expect(await codeOf(client.call(previewSearch, { ...document({}), id: 'db_none', query: 'x' }))).toBe('NOT_FOUND')
  })

  it('is refused above 60 a minute, whatever it asks', async () => {
    const other = system.client((await system.member('developer')).token)
    const ask = () => codeOf(other.call(previewSearch, { ...document({}), id: 'db_none', query: 'x' }))
    for (let asked = 0; asked < 60; asked++) expect(await ask()).toBe('NOT_FOUND')
    expect(await ask()).toBe('RATE_LIMITED')
  })

  needs('postgres')('on a server', () => {
    it('leaves the role of previews without any right', async () => {
      await preview({ content_columns: 'id, title, secret' })
      const role = new URL(source.connection_string).username.replace('o_', 'p_')
      const rights = await runIn(
        source.connection_string,
        `select has_column_privilege('${role}', 'public.articles', 'title', 'select') as title,
                has_schema_privilege('${role}', 'public', 'usage') as schema`,
      )
      expect(rights).toEqual([{ title: false, schema: false }])
    })

    it('is refused where a policy names the role of questions', async () => {
      const name = new URL(reader).username
      await runIn(source.connection_string, `create policy named on notes for select to ${name} using (true)`)
      const answer = await preview({ table: 'notes' }).catch((error: { message: string }) => error.message)
      expect(answer).toBe(
        'A policy of public.notes names the role that questions use, and a preview runs as another role. Save the configuration and ask it.',
      )
      await runIn(source.connection_string, 'drop policy named on notes')
    })
  })
})
