import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import type { ServiceError } from '#contract/core/errors.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { dropDatabase } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { entry, makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

const TABLES = `
  create table articles (id int primary key, title text, year int, live boolean, tags text[], at date,
    embedding vector(384), small vector(3), bits bit(384), sparse sparsevec(384), plain real[]);
  create table gone (id int, title text, dropped text, embedding vector(384));
  alter table gone drop column dropped;
  create table bare (id int, title text, embedding vector);
  create table mixed (id int, title text, embedding vector);
  insert into mixed values (1, 'a', array_fill(0.1, array[384])::vector), (2, 'b', '[1,2,3]');
  create table locked (id int, title text, embedding vector(384));
  alter table locked enable row level security;
  create materialized view empty as select id, title, embedding from articles with no data;
  create view invoked with (security_invoker) as select id, title, embedding from articles;
  create sequence counter;
  create schema hidden;
  create table hidden.notes (id int, title text, embedding vector(384));
  create table "a.b" (id int, title text, embedding vector(384))`

const NOT_A_NAME = 'must be name or schema.name; put a part that contains dots or quotes in double quotes'

/** Seeded faults: what is sent, where the problem is, and what is said of it. All of them go in one configuration. */
const ENTRIES: [over: object, problems: [key: string, message: string][]][] = [
  [{ label: '' }, [['label', 'must not be empty']]],
  [{ label: ' x' }, [['label', 'must not begin or end with a space']]],
  [{ label: 'x'.repeat(101) }, [['label', 'must have at most 100 characters']]],
  [{ label: 'two\nlines' }, [['label', 'must be one line without control characters']]],
  [{ label: 'same' }, []],
  [{ label: 'same' }, [['label', '"same" is the label of an earlier entry']]],
  [{ table: 'nowhere' }, [['table', 'no table "nowhere"; names are case-sensitive']]],
  [{ table: 'Articles' }, [['table', 'no table "Articles"; names are case-sensitive. Did you mean "articles"?']]],
  [
    { table: 'public.artcles' },
    [['table', 'no table "public.artcles"; names are case-sensitive. Did you mean "public.articles"?']],
  ],
  [{ table: 'a.b' }, [['table', 'no table "a.b"; names are case-sensitive']]],
  [{ table: 'notes' }, [['table', 'no table "notes"; names are case-sensitive']]],
  [{ table: 'a.b.c' }, [['table', NOT_A_NAME]]],
  [{ table: '"open' }, [['table', NOT_A_NAME]]],
  [{ table: '' }, [['table', NOT_A_NAME]]],
  [
    { table: 'articles; drop table articles' },
    [['table', 'no table "articles; drop table articles"; names are case-sensitive']],
  ],
  [{ table: 'pg_catalog.pg_authid' }, [['table', '"pg_catalog" is a system schema']]],
  [{ table: 'information_schema.tables' }, [['table', '"information_schema" is a system schema']]],
  [{ table: 'counter' }, [['table', '"counter" is neither a table nor a view']]],
  [{ table: 'articles_pkey' }, [['table', '"articles_pkey" is neither a table nor a view']]],
  [{ columns: [] }, [['columns', 'must name exactly one vector column']]],
  [{ columns: ['embedding', 'small'] }, [['columns', 'must name exactly one vector column']]],
  [{ columns: ['vector'] }, [['columns', 'public.articles has no column "vector"']]],
  [{ columns: ['EMBEDDING'] }, [['columns', 'public.articles has no column "EMBEDDING". Did you mean "embedding"?']]],
  [{ columns: ['bits'] }, [['columns', '"bits" is bit(384): it must be vector(N) or halfvec(N)']]],
  [{ columns: ['sparse'] }, [['columns', '"sparse" is public.sparsevec(384): it must be vector(N) or halfvec(N)']]],
  [{ columns: ['plain'] }, [['columns', '"plain" is real[]: it must be vector(N) or halfvec(N)']]],
  [{ columns: ['small'] }, [['dimensions', '"small" has 3 dimensions, not 384']]],
  [
    { dimensions: 768 },
    [
      ['dimensions', 'builtin/all-minilm-l6-v2 creates vectors of 384 dimensions, not 768'],
      ['dimensions', '"embedding" has 384 dimensions, not 768'],
    ],
  ],
  [
    { dimensions: 383.5, table: 'nowhere' },
    [
      ['dimensions', 'must be a whole number from 1 to 16000'],
      ['table', 'no table "nowhere"; names are case-sensitive'],
    ],
  ],
  [{ model: 'nobody/knows' }, [['model', 'unknown embedding model "nobody/knows"']]],
  [
    { model: 'builtin/all-minilm-l6-v3' },
    [['model', 'unknown embedding model "builtin/all-minilm-l6-v3". Did you mean "builtin/all-minilm-l6-v2"?']],
  ],
  [{ distance_metric: 'hamming' }, [['distance_metric', 'must be cosine, l2, inner_product']]],
  [{ content_columns: '' }, [['content_columns', 'must not contain an empty name']]],
  [{ content_columns: 'id,,title' }, [['content_columns', 'must not contain an empty name']]],
  [{ content_columns: 'id, "title' }, [['content_columns', 'must be comma-separated column names, quoted as in SQL']]],
  [{ content_columns: 'id, id' }, [['content_columns', '"id" is named twice']]],
  [{ content_columns: 'id, body' }, [['content_columns', 'public.articles has no column "body"']]],
  [
    { content_columns: 'id, titel' },
    [['content_columns', 'public.articles has no column "titel". Did you mean "title"?']],
  ],
  [{ content_columns: 'id, ctid' }, [['content_columns', 'public.articles has no column "ctid"']]],
  [{ content_columns: 'id, now()' }, [['content_columns', 'public.articles has no column "now()"']]],
  [
    { content_columns: 'id, embedding' },
    [['content_columns', '"embedding" is the vector column, which is not returned']],
  ],
  [
    { content_columns: 'id, _score' },
    [
      ['content_columns', '"_score" cannot be returned, because answers use that name themselves'],
      ['content_columns', 'public.articles has no column "_score"'],
    ],
  ],
  [{ table: 'gone', content_columns: 'id, dropped' }, [['content_columns', 'public.gone has no column "dropped"']]],
  [{ table: 'bare' }, [['dimensions', '"embedding" has no declared size and no row to measure']]],
  [{ table: 'mixed' }, [['dimensions', '"embedding" has 3 dimensions, not 384']]],
  [{ table: 'empty' }, [['table', 'materialized view "empty" has not been populated']]],
  [
    { table: 'invoked' },
    [
      [
        'table',
        'public.invoked is a view with security_invoker, and the role that questions use has no rights on its tables',
      ],
    ],
  ],
  [{ table: 'locked' }, [['table', 'public.locked has row-level security and no policy that shows rows to <reader>']]],
]

const FILTERS: [column: string, type: string, message: string][] = [
  ['author', 'string', 'no configured table has a column "author"'],
  ['Year', 'number', 'no configured table has a column "Year". Did you mean "year"?'],
  ['year', 'string', 'integer is no string'],
  ['title', 'number', 'text is no number'],
  ['live', 'string', 'boolean is no string'],
  ['tags', 'string', 'text[] is no string'],
  ['at', 'string', 'date is no string'],
  ['small', 'number', 'public.vector(3) is no number'],
  ['id', 'integer', 'must be string, number, boolean'],
]

let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>
beforeAll(async () => {
  system = await startSystem()
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'faulty', TABLES)
})
afterAll(async () => {
  await client.call(dropDatabase, { name: 'faulty', confirm: 'faulty' })
  await system?.[Symbol.asyncDispose]()
})

const row = async () => (await system.db.query(sql`select * from data_sources.sources where id = ${source.id}`))[0]
const refusal = async (body: object) => {
  const call = client.call(configureSource, { id: source.source_id, ...body } as never)
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a configuration that does not fit', () => {
  it('DS-06 every one of many problems is in one answer, and nothing is saved or granted', async () => {
    await client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [entry({})] } })
    const before = await row()
    const reader = await readerOf(system, source)
    const embedding_configs = ENTRIES.map(([over], i) => entry({ label: `entry ${i}`, ...over }))
    const filter_schema = Object.fromEntries(FILTERS.map(([column, type]) => [column, type]))
    const expected = [
      ...ENTRIES.flatMap(([, problems], i) =>
        problems.map(([key, message]) => ({
          path: `connection_config.embedding_configs.${i}.${key}`,
          message: message.replace('<reader>', new URL(reader).username),
        })),
      ),
      ...FILTERS.map(([column, , message]) => ({ path: `filter_schema.${column}`, message })),
    ]
    const error = await refusal({ connection_config: { embedding_configs }, filter_schema })
    expect(error).toMatchObject({ code: 'INVALID_SEARCH_CONFIGURATION', status: 400 })
    const { errors = [], title } = (error as ServiceError).toProblem()
    expect(title).toBe('Invalid search configuration')
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    expect(errors.toSorted(byText)).toEqual(expected.toSorted(byText))
    expect(expected.length).toBeGreaterThan(50)
    expect(await row()).toEqual(before)
    expect(await codeOf(runIn(reader, 'select id from public.gone'))).toBe('42501')
    expect(await codeOf(runIn(reader, 'select id, title from public.articles'))).toBe('no error')
  })

  it('DS-06 a filter with nothing to search has no table to be in', async () => {
    const error = await refusal({ connection_config: { embedding_configs: [] }, filter_schema: { year: 'number' } })
    expect(error).toMatchObject({ errors: [{ path: 'filter_schema.year' }] })
  })
})

/** Odd requests, each with what it gets. */
const HOSTILE: [what: string, body: object, code: string][] = [
  ['no configuration', {}, 'INVALID_REQUEST'],
  ['no entries', { connection_config: {} }, 'INVALID_REQUEST'],
  ['null', { connection_config: null }, 'INVALID_REQUEST'],
  ['an entry that is text', { connection_config: { embedding_configs: ['articles'] } }, 'INVALID_REQUEST'],
  ['columns as text', one({ columns: 'embedding' }), 'INVALID_REQUEST'],
  ['content columns as a list', one({ content_columns: ['id'] }), 'INVALID_REQUEST'],
  ['dimensions as text', one({ dimensions: '384' }), 'INVALID_REQUEST'],
  ['no model', one({ model: undefined }), 'INVALID_REQUEST'],
  ['NUL in a table', one({ table: 'a\0b' }), 'INVALID_REQUEST'],
  ['NUL in a label', one({ label: 'a\0b' }), 'INVALID_REQUEST'],
  ['half a character', one({ label: '\u{D800}' }), 'INVALID_REQUEST'],
  ['1e308 dimensions', one({ dimensions: 1e308 }), 'INVALID_SEARCH_CONFIGURATION'],
  ['-1 dimensions', one({ dimensions: -1 }), 'INVALID_SEARCH_CONFIGURATION'],
  ['a name longer than Postgres keeps', one({ table: 'x'.repeat(64) }), 'INVALID_SEARCH_CONFIGURATION'],
  ['a name that is too long at all', one({ table: 'x'.repeat(301) }), 'INVALID_REQUEST'],
  ['51 entries', { connection_config: { embedding_configs: Array(51).fill(entry({})) } }, 'INVALID_REQUEST'],
  ['filters as a list', { ...one({}), filter_schema: ['year'] }, 'INVALID_REQUEST'],
  ['a filter on constructor', { ...one({}), filter_schema: { constructor: 'string' } }, 'INVALID_SEARCH_CONFIGURATION'],
  ['a filter on no name', { ...one({}), filter_schema: { '': 'string' } }, 'INVALID_SEARCH_CONFIGURATION'],
  ['a prototype as a type', { ...one({}), filter_schema: { year: 'toString' } }, 'INVALID_SEARCH_CONFIGURATION'],
  ['a metric called constructor', one({ distance_metric: 'constructor' }), 'INVALID_SEARCH_CONFIGURATION'],
  ['SQL as a column', one({ columns: ['embedding" from x; --'] }), 'INVALID_SEARCH_CONFIGURATION'],
]

function one(over: object) {
  return { connection_config: { embedding_configs: [entry(over)] } }
}

describe('odd requests', () => {
  it.each(HOSTILE)('DS-06 %s changes nothing', async (_, body, code) => {
    const before = await row()
    expect(await refusal(body)).toMatchObject({ code, status: 400 })
    expect(await row()).toEqual(before)
  })

  it('DS-06 a table whose name was cut by Postgres is not found by the longer one', async () => {
    await runIn(source.connection_string, `create table ${'y'.repeat(63)} (id int, title text, embedding vector(384))`)
    expect(await refusal(one({ table: 'y'.repeat(64) }))).toMatchObject({ code: 'INVALID_SEARCH_CONFIGURATION' })
    expect(await refusal(one({ table: 'y'.repeat(63) }))).toBeUndefined()
  })

  it('DS-06 a tenant that shadows the catalogue fools nobody', async () => {
    const { name, connection_string } = await makeSource(client, 'shadow', TABLES)
    const id = `db_${name}`
    await runIn(
      connection_string,
      `create table pg_class (oid oid, relname name); create table pg_roles (oid oid, rolname name);
       create function public.lies(name, text) returns boolean language sql as 'select true';
       create operator public.= (leftarg = name, rightarg = text, function = public.lies);
       alter role ${new URL(connection_string).username} set search_path = public, pg_catalog`,
    )
    const table = (text: string) => refusal({ id, ...one({ table: text }) })
    expect(await table('nowhere')).toMatchObject({
      code: 'INVALID_SEARCH_CONFIGURATION',
      errors: [{ path: TABLE_PATH }],
    })
    expect(await table('pg_authid')).toMatchObject({
      errors: [{ path: TABLE_PATH, message: expect.stringContaining('no table "pg_authid"') }],
    })
    expect(await table('articles')).toBeUndefined()
    await client.call(dropDatabase, { name, confirm: name })
  })
})

const TABLE_PATH = 'connection_config.embedding_configs.0.table'
