import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { testClock } from '#lib/time/clock.ts'
import { entry, MODEL, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

const TABLES = `
  create table articles (id int primary key, title text, body text, category text, embedding vector(384));
  create index articles_near on articles using hnsw (embedding vector_cosine_ops);
  create schema docs;
  create table docs.notes (id int, "the text" text, category text, e halfvec(384));
  create index notes_lists on docs.notes using ivfflat (e halfvec_ip_ops) with (lists = 7);
  create table plain (id int primary key, title text, embedding vector(384));
  create view shown as select id, title, embedding from articles;
  grant select on plain to public`

const CONFIGURATION = {
  connection_config: {
    embedding_configs: [
      { ...entry({ table: 'public.articles' }), columns: ['embedding'], distance_metric: 'cosine' as const },
      {
        label: 'n',
        table: 'docs.notes',
        columns: ['e'],
        model: MODEL,
        dimensions: 384,
        content_columns: 'id, "the text"',
        distance_metric: 'inner_product' as const,
      },
      { ...entry({ label: 'p', table: 'plain' }), columns: ['embedding'], distance_metric: 'l2' as const },
      { ...entry({ label: 'v', table: 'shown' }), columns: ['embedding'], distance_metric: 'cosine' as const },
    ],
  },
  filter_schema: { category: 'string' as const },
}
const NOT_LOOKED_AT = { state: 'not_looked_at', looked_at: null, reason: null, findings: [], not_checked: [] }
const NOTHING_SET = { ef_search: null, probes: null, measured: null, relevance: null }
const INDEX_WARNING = '"embedding" of public.plain has no hnsw or ivfflat index: questions compare all rows'

// Postgres keeps microseconds; a clock that stands still makes two saves equal.
const clock = testClock(new Date())
let system: System
let client: Client
let token: string
let library: Awaited<ReturnType<typeof makeSource>>

beforeAll(async () => {
  system = await startSystem({ clock })
  const developer = await system.member('owner')
  token = developer.token
  client = system.client(token)
  library = await makeSource(client, 'library', TABLES)
  await client.call(configureSource, { id: 'db_library', ...CONFIGURATION })
})
afterAll(() => system?.[Symbol.asyncDispose]())

describe('one data source', () => {
  it('DS-04 shows what is stored of it, its warnings, and for each entry the plan in use and why', async () => {
    const found = await client.call(getSource, { id: 'db_library' })
    expect(found).toEqual({
      id: library.id,
      source_id: 'db_library',
      name: 'library',
      description: '',
      enabled: true,
      exposed: false,
      min_role: null,
      created_at: clock.now().toISOString(),
      updated_at: clock.now().toISOString(),
      ...CONFIGURATION,
      warnings: [
        'public.plain can be read by PUBLIC: the role that questions use could read all of it',
        'the filter "category" in public.articles has no index: a question with this filter reads the whole table',
        'the filter "category" in docs.notes has no index: a question with this filter reads the whole table',
        INDEX_WARNING,
        'public.shown is a view, which has no index of its own: questions compare all rows',
      ],
      max_staleness_seconds: 0,
      vectors: ['a', 'n', 'p', 'v'].map((label) => ({ label, ...NOT_LOOKED_AT })),
      plan: [
        {
          label: 'a',
          method: 'hnsw',
          index: 'articles_near',
          reason:
            'the index "articles_near" supports cosine; questions whose filters match few rows use an exact search',
          ef_search: 400,
          probes: null,
          measured: null,
          relevance: null,
        },
        {
          label: 'n',
          method: 'ivfflat',
          index: 'notes_lists',
          reason:
            'the index "notes_lists" supports inner_product; questions whose filters match few rows use an exact search',
          ef_search: null,
          probes: 5,
          measured: null,
          relevance: null,
        },
        {
          label: 'p',
          method: 'exact',
          index: null,
          reason: '"embedding" of public.plain has no hnsw or ivfflat index',
          ...NOTHING_SET,
        },
        {
          label: 'v',
          method: 'exact',
          index: null,
          reason: 'public.shown is a view, which has no index of its own',
          ...NOTHING_SET,
        },
      ],
    })
    expect(await client.call(getSource, { id: library.id })).toEqual(found)
  })

  it('DS-05 what it shows can be saved again unchanged, and then shows the same', async () => {
    const before = await client.call(getSource, { id: 'db_library' })
    const { connection_config, filter_schema, warnings } = before
    const { model_checks: _, ...saved } = await client.call(configureSource, {
      id: before.id,
      connection_config,
      filter_schema,
    })
    expect(saved).toEqual({ connection_config, filter_schema, warnings })
    expect(await client.call(getSource, { id: 'db_library' })).toEqual(before)
  })

  it('DS-15 follows the indexes there are now, and so do its warnings', async () => {
    const plainPlan = async () => {
      const { plan, warnings } = await client.call(getSource, { id: 'db_library' })
      return [plan[2]!.method, plan[2]!.index, warnings.includes(INDEX_WARNING)]
    }
    await runIn(library.connection_string, 'create index plain_near on plain using hnsw (embedding vector_l2_ops)')
    expect(await plainPlan()).toEqual(['hnsw', 'plain_near', false])
    await runIn(library.connection_string, 'drop index plain_near')
    expect(await plainPlan()).toEqual(['exact', null, true])
    await runIn(library.connection_string, 'alter table plain rename to moved')
    expect(await plainPlan()).toEqual(['exact', null, false])
    await runIn(library.connection_string, 'alter table moved rename to plain')
  })

  it('DS-04 is shown before it is configured, and after its configuration is cleared', async () => {
    const emptySource = await makeSource(client, 'empty', 'select 1')
    const empty = {
      id: emptySource.id,
      connection_config: { embedding_configs: [] },
      filter_schema: {},
      warnings: [],
      plan: [],
    }
    const shown = await client.call(getSource, { id: 'db_empty' })
    expect(shown).toMatchObject(empty)
    const { connection_config, filter_schema } = shown
    await client.call(configureSource, { id: 'db_empty', connection_config, filter_schema })
    expect(await client.call(getSource, { id: 'db_empty' })).toEqual(shown)
    await client.call(switchSource, { name: 'empty', enabled: false })
    expect(await client.call(getSource, { id: 'db_empty' })).toMatchObject({ ...empty, enabled: false })
  })

  it('DS-17 of another organization is the same 404 as one that does not exist', async () => {
    await client.call(exposeSource, { id: 'db_library', exposed: true, min_role: 'viewer' })
    const other = (await system.member('owner')).token
    const answer = async (id: string) => {
      const headers = { authorization: `Bearer ${other}` }
      const response = await fetch(`${system.url}/api/wf/data-sources/${id}`, { headers })
      const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
      const names = [...response.headers.keys()]
      return { status: response.status, body, names }
    }
    const unknown = await answer('db_none')
    expect(unknown).toMatchObject({
      status: 404,
      body: {
        code: 'NOT_FOUND',
        detail: expect.stringContaining('No such data source. A database becomes one when an admin') as unknown,
      },
    })
    for (const id of ['db_library', library.id, 'ds_none', '%20']) expect(await answer(id)).toEqual(unknown)
  })
})
