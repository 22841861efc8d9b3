import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { listSources } from '#contract/data-sources/sources.ts'
import { dropDatabase } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { entry, MODEL, makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { ResolvedSearch } from '../search/entry.ts'

const TABLES = `
  create table articles (id int primary key, title text, body text, secret text, category varchar(10), year int,
    price numeric(5, 2), live boolean, embedding vector(384));
  create index on articles using hnsw (embedding vector_cosine_ops);
  create index on articles (category); create index on articles (year);
  insert into articles select n, 't', 'b', 'hidden', 'c', 2020, 1.5, true, array_fill(0.1, array[384])::vector
    from generate_series(1, 3) n;
  create schema docs;
  create table docs.notes (id uuid, text text, secret text, e halfvec(384));
  create index on docs.notes using ivfflat (e halfvec_ip_ops);
  create table loose (id int, embedding vector);
  insert into loose values (1, array_fill(0.1, array[384])::vector);
  create view shown as select id, title, embedding from articles;
  create materialized view kept as select id, title, embedding from articles;
  create table parts (id int, title text, embedding vector(384)) partition by list (id);
  create table parts_1 partition of parts for values in (1);
  create domain embedded as vector(384);
  create domain deeper as embedded;
  create type mood as enum ('good', 'bad');
  create table domains (id int, title text, embedding deeper, mood mood);
  create schema "We.ird";
  create table "We.ird"."My ""Table"" é" ("the,id" int, "Ti""tle" text, "Vec tor" vector(384));
  create table "Upper" (id int, title text, embedding vector(384));
  create table guarded (id int, title text, embedding vector(384));
  alter table guarded enable row level security;
  create policy readable on guarded for select using (id > 1);
  create table wide (id int, title text, embedding vector(384));
  grant select on wide to public`

let system: System
let client: Client
let org: string
let source: Awaited<ReturnType<typeof makeSource>>
let reader: string

beforeAll(async () => {
  system = await startSystem()
  const owner = await system.member('owner')
  org = owner.org_id
  client = system.client(owner.token)
  source = await makeSource(client, 'library', TABLES)
  reader = await readerOf(system, source)
})
afterAll(async () => {
  await client.call(dropDatabase, { name: 'library', confirm: 'library' })
  await system?.[Symbol.asyncDispose]()
})

const save = (embedding_configs: ReturnType<typeof entry>[], filter_schema?: Record<string, string>) =>
  client.call(configureSource, {
    id: source.source_id,
    connection_config: { embedding_configs },
    ...(filter_schema && { filter_schema }),
  })
const stored = async () => (await client.call(listSources, {})).items[0]!
const resolved = async () => {
  const [row] = await system.db.query<{ search: unknown }>(sql`
    select search from data_sources.sources where id = ${source.id}`)
  return row!.search === null ? null : ResolvedSearch.parse(row!.search)
}

describe('saving a search configuration', () => {
  it('DS-05 DS-07 answers what is stored, with defaults, and replaces all that was there', async () => {
    const first = await save([entry({ table: 'public.articles' })], { category: 'string', year: 'number' })
    const full = { columns: ['embedding'], distance_metric: 'cosine' }
    expect(first).toEqual({
      connection_config: { embedding_configs: [{ ...entry({ table: 'public.articles' }), ...full }] },
      filter_schema: { category: 'string', year: 'number' },
      warnings: [],
      model_checks: [
        {
          label: 'a',
          outcome: 'not_compared',
          detail: 'There are not enough rows: at least 4 with a vector and different content.',
        },
      ],
    })
    expect(await stored()).toMatchObject({
      connection_config: first.connection_config,
      filter_schema: first.filter_schema,
    })
    expect(await resolved()).toEqual([
      {
        label: 'a',
        schema: 'public',
        table: 'articles',
        vector_column: 'embedding',
        vector_type: 'vector',
        extension_schema: 'public',
        model: MODEL,
        dimensions: 384,
        metric: 'cosine',
        content: [
          { name: 'id', type: 'integer' },
          { name: 'title', type: 'text' },
        ],
        filters: {
          category: { type: 'string', pg_type: 'character varying' },
          year: { type: 'number', pg_type: 'integer' },
        },
        index: 'hnsw',
        oid: expect.any(Number),
        row_security: false,
        version: expect.stringMatching(/^\d+\.\d+/),
      },
    ])
    const second = await save([entry({ label: 'b' })])
    expect(second.filter_schema).toEqual({})
    expect(await stored()).toMatchObject({ connection_config: second.connection_config, filter_schema: {} })
    expect(await resolved()).toMatchObject([{ label: 'b', filters: {} }])
  })

  it('DS-05 takes either id, writes who did it down, and knows no source of another organization', async () => {
    const connection_config = { embedding_configs: [entry({})] }
    await client.call(configureSource, { id: source.id, connection_config })
    const { items } = await client.call(listAudit, { org_id: org })
    expect(items[0]).toMatchObject({ action: 'data_source.configured', target: source.id })
    const stranger = system.client((await system.member('owner')).token)
    for (const id of [source.id, source.source_id, 'db_none']) {
      const refused = stranger.call(configureSource, { id, connection_config })
      expect(await codeOf(refused)).toBe('NOT_FOUND')
    }
  })

  it('DS-05 of two concurrent saves one succeeds and the other gets a conflict, or both succeed in turn', async () => {
    const results = await Promise.allSettled([save([entry({ label: 'x' })]), save([entry({ label: 'y' })])])
    const lost = results.filter((result) => result.status === 'rejected')
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'CONFLICT' })
    expect(lost.length).toBeLessThan(2)
  })

  it('DS-05 an empty list clears: nothing to search, nothing to read', async () => {
    await save([entry({})], { year: 'number' })
    expect(await save([])).toEqual({
      connection_config: { embedding_configs: [] },
      filter_schema: {},
      warnings: [],
      model_checks: [],
    })
    expect(await resolved()).toBeNull()
    expect(await codeOf(runIn(reader, 'select id from public.articles'))).toBe('42501')
  })

  it.each([
    ['', { extra: 1 }],
    ['connection_config', { connection_config: { embedding_configs: [], extra: 1 } }],
    [
      'connection_config.embedding_configs.0',
      { connection_config: { embedding_configs: [{ ...entry({}), extra: 1 }] } },
    ],
  ])('DS-05 an unknown key is refused: %s.extra', async (path, over) => {
    const body = { id: source.source_id, connection_config: { embedding_configs: [] }, ...over }
    const errors = [{ path: path === '' ? 'extra' : `${path}.extra`, message: 'unknown key' }]
    await expect(client.call(configureSource, body)).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors })
  })
})

describe('what can be searched', () => {
  it.each([
    ['a halfvec column', { table: 'docs.notes', columns: ['e'], content_columns: 'id,text' }, 'halfvec', null],
    [
      'an ivfflat index of the metric',
      { table: 'docs.notes', columns: ['e'], content_columns: 'id', distance_metric: 'inner_product' },
      'halfvec',
      'ivfflat',
    ],
    ['a column without a declared size', { table: 'loose', content_columns: 'id' }, 'vector', null],
    ['a view', { table: 'shown' }, 'vector', null],
    ['a materialised view', { table: 'kept' }, 'vector', null],
    ['a partitioned table', { table: 'parts' }, 'vector', null],
    ['a domain over a domain', { table: 'domains' }, 'vector', null],
    ['a name with capitals', { table: 'Upper' }, 'vector', null],
    [
      'names with dots, quotes, commas and spaces',
      {
        table: '"We.ird"."My ""Table"" é"',
        columns: ['Vec tor'],
        content_columns: '"the,id", "Ti""tle"',
        label: `'; drop table articles; --`,
      },
      'vector',
      null,
    ],
  ])('DS-06 %s', async (_, over, vector_type, index) => {
    await save([entry(over)])
    expect(await resolved()).toMatchObject([{ vector_type, index, dimensions: 384 }])
    const [{ schema, table, content }] = (await resolved()) as [NonNullable<Awaited<ReturnType<typeof resolved>>>[0]]
    const column = `"${content[0]!.name}"`
    const name = `"${schema}"."${table.replaceAll('"', '""')}"`
    expect(await codeOf(runIn(reader, `select ${column} from ${name}`))).toBe('no error')
  })

  it('DS-06 a filter need fit only one of the tables; the others say that they have none', async () => {
    const two = [entry({}), entry({ label: 'd', table: 'domains' })]
    const { warnings } = await save(two, { mood: 'string', category: 'string', live: 'boolean', price: 'number' })
    const [articles, domains] = (await resolved())!
    expect(domains!.filters).toEqual({ mood: { type: 'string', pg_type: 'public.mood' } })
    expect(articles!.filters).toEqual({
      category: { type: 'string', pg_type: 'character varying' },
      live: { type: 'boolean', pg_type: 'boolean' },
      price: { type: 'number', pg_type: 'numeric' },
    })
    expect(warnings).toEqual([
      'the filter "mood" in public.domains has no index: a question with this filter reads the whole table',
      'the filter "live" in public.articles has no index: a question with this filter reads the whole table',
      'the filter "price" in public.articles has no index: a question with this filter reads the whole table',
      '"embedding" of public.domains has no hnsw or ivfflat index: questions compare all rows',
    ])
  })

  it('DS-05 warns of settings that work differently than expected', async () => {
    const three = [
      entry({ distance_metric: 'l2' }),
      entry({ label: 'g', table: 'guarded' }),
      entry({ label: 'w', table: 'wide' }),
    ]
    const { warnings } = await save(three)
    expect(warnings).toEqual([
      expect.stringMatching(
        /^public\.guarded has row-level security: only rows that its policies show to r_\w+ are found$/,
      ),
      'public.wide can be read by PUBLIC: the role that questions use could read all of it',
      '"embedding" of public.articles has an index with vector_cosine_ops, which l2 cannot use: questions compare all rows',
      '"embedding" of public.guarded has no hnsw or ivfflat index: questions compare all rows',
      '"embedding" of public.wide has no hnsw or ivfflat index: questions compare all rows',
    ])
  })
})

describe('what the reader may read', () => {
  it('DS-11 the columns that were named and no other, of the tables that were named and no other', async () => {
    await save([entry({})], { year: 'number' })
    const code = (text: string) => codeOf(runIn(reader, text))
    expect(await runIn(reader, 'select id, title, year, embedding is null as n from public.articles limit 1')).toEqual([
      { id: 1, title: 't', year: 2020, n: false },
    ])
    for (const column of ['secret', 'body', 'category', 'live', '*', 'articles::text', 'ctid']) {
      expect(await code(`select ${column} from public.articles`), column).toBe('42501')
    }
    expect(await code('select id from public.shown')).toBe('42501')
    expect(await code('select id from docs.notes')).toBe('42501')
    await save([entry({ table: 'docs.notes', columns: ['e'], content_columns: 'id' })])
    expect(await code('select id from public.articles')).toBe('42501')
    expect(await code('select id, e from docs.notes')).toBe('no error')
    expect(await code('select text from docs.notes')).toBe('42501')
  })

  it('DS-06 what only the reader is refused is found before saving, and leaves it no rights', async () => {
    await save([entry({})])
    await runIn(
      source.connection_string,
      `create function of_the_owner(t text) returns text language sql return t;
       revoke execute on function of_the_owner from public;
       create view calling as select id, of_the_owner(title) as title, embedding from articles`,
    )
    await expect(save([entry({}), entry({ label: 'c', table: 'calling' })])).rejects.toMatchObject({
      code: 'INVALID_SEARCH_CONFIGURATION',
      message: 'connection_config.embedding_configs.1.table: permission denied for function of_the_owner',
    })
    expect(await codeOf(runIn(reader, 'select id from public.calling'))).toBe('42501')
    expect(await codeOf(runIn(reader, 'select id, title from public.articles'))).toBe('no error')
    expect((await resolved())!.map(({ label }) => label)).toEqual(['a'])
  })

  it('DS-11 what somebody granted by hand is gone with the next save, and saving again changes nothing', async () => {
    const role = new URL(reader).username
    await runIn(
      source.connection_string,
      `grant select on articles to ${role}; grant select (secret) on docs.notes to ${role};
       grant usage on schema docs to ${role} with grant option; create sequence if not exists s;
       grant usage on sequence s to ${role}`,
    )
    expect(await codeOf(runIn(reader, 'select secret from public.articles'))).toBe('no error')
    const rights = async () => {
      await save([entry({})])
      return runIn(
        source.connection_string,
        `select c.relname, a.attname, c.relacl::text, a.attacl::text from pg_class c
         join pg_attribute a on a.attrelid = c.oid
         where a.attacl::text like '%${role}=%' or c.relacl::text like '%${role}=%'
         order by 1, 2`,
      )
    }
    const after = await rights()
    expect(after.map(({ relname, attname }) => [relname, attname].join('.'))).toEqual([
      'articles.embedding',
      'articles.id',
      'articles.title',
    ])
    expect(await rights()).toEqual(after)
    expect(await codeOf(runIn(reader, 'select secret from docs.notes'))).toBe('42501')
  })
})
