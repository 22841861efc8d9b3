import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const SECRET = 'TOPSECRET'
const CHANGED = {
  status: 409,
  code: 'SOURCE_CHANGED',
  message: 'The database changed after this data source was configured. Save its search configuration again.',
}

let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>
const run = (text: string) => runIn(source.connection_string, text)

beforeAll(async () => {
  system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'notes', 'create schema other')
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Names = { table?: string; id?: string; title?: string; filter?: string; vector?: string }
const defaults = { table: 'note', id: 'id', title: 'title', filter: 'secret_column', vector: 'emb_column' }

/** A table all of whose columns are named for content, filter or vector, so that the reader may read every one. */
async function makeTable(names: Names): Promise<Required<Names>> {
  const all = { ...defaults, ...names }
  await run(`
    drop table if exists "${all.table}" cascade;
    create table "${all.table}" ("${all.id}" text, "${all.title}" text, "${all.filter}" text, "${all.vector}" vector(384));
    insert into "${all.table}" values ('a', 'hello', '${SECRET}', array_fill(0.1, array[384])::vector)`)
  return all
}

async function save({ table, id, title, filter, vector }: Required<Names>): Promise<void> {
  await client.call(configureSource, {
    id: source.id,
    connection_config: {
      embedding_configs: [entry({ table, columns: [vector], content_columns: `"${id}", "${title}"` })],
    },
    filter_schema: { [filter]: 'string' },
  })
}

const ask = (filters: object = {}) =>
  client.call(querySource, { id: source.source_id, query: 'anything', filters: filters as Record<string, string> })

/** The answer or the refusal, as text and as what it says. */
async function outcome(filters: object = {}) {
  const answer: unknown = await ask(filters).catch((error: unknown) => error)
  return { answer, text: `${JSON.stringify(answer)} ${String(answer)}` }
}

/** Functions that take a row of any type: `alias.name` stands for `name(alias)` where there is no such column. */
const FUNCTIONS = ['to_json', 'to_jsonb', 'row_to_json', 'json_agg', 'quote_literal', 'concat', 'count', 'text', 'name']
const CHANGES: [change: string, statement: (table: string, column: string) => string][] = [
  ['renamed', (table, column) => `alter table "${table}" rename column "${column}" to gone_away`],
  ['dropped', (table, column) => `alter table "${table}" drop column "${column}"`],
]

describe.each(CHANGES)('DS-11 a column that is %s after saving', (_, change) => {
  it.each([
    ['a title named like its table', { title: 'note' }],
    ['an id named like its table', { id: 'note' }],
    ...FUNCTIONS.map((name): [string, Names] => [`a title named ${name}`, { title: name }]),
    ...FUNCTIONS.map((name): [string, Names] => [`table and title named ${name}`, { table: name, title: name }]),
  ])('%s: no other column is returned or named', async (_case, names) => {
    const all = await makeTable(names)
    await save(all)
    expect((await ask()).results[0]).toMatchObject({ id: 'a', title: 'hello' })
    await run(change(all.table, names.id ?? all.title))
    const { answer, text } = await outcome()
    expect(answer).toMatchObject(CHANGED)
    expect(text).not.toMatch(/TOPSECRET|secret_|emb_|gone_/)
  })

  it.each([
    ['named like its table', { filter: 'note' }],
    ['named to_json', { filter: 'to_json' }],
    ['named quote_literal', { filter: 'quote_literal' }],
  ])('a filter %s tells nothing of the rows', async (_case, names) => {
    const all = await makeTable(names)
    await save(all)
    const filters = { [all.filter]: SECRET }
    expect((await ask(filters)).count).toBe(1)
    await run(change(all.table, all.filter))
    for (const value of [SECRET, '(a,hello)', 'other']) {
      expect((await outcome({ [all.filter]: value })).answer).toMatchObject(CHANGED)
    }
  })

  it.each([['note'], ['to_json'], ['vector_norm']])('a vector column named %s', async (vector) => {
    const all = await makeTable({ vector })
    await save(all)
    expect((await ask()).count).toBe(1)
    await run(change(all.table, vector))
    expect((await outcome()).answer).toMatchObject(CHANGED)
  })
})

describe('DS-11 a column that is gone', () => {
  it('is not replaced by a function of the tenant that takes the row', async () => {
    const all = await makeTable({ title: 'leaked' })
    await run(`
      create function leaked(note) returns text language sql as 'select $1.secret_column';
      create function other.leaked(note) returns text language sql as 'select $1.secret_column'`)
    await save(all)
    await run('alter table note rename column leaked to gone_away')
    const { answer, text } = await outcome()
    expect(answer).toMatchObject(CHANGED)
    expect(text).not.toContain(SECRET)
  })

  it('is not replaced by the row of a view, a materialised view or a partition of that name', async () => {
    await run('drop table if exists note cascade')
    await makeTable({ table: 'base' })
    for (const kind of ['view', 'materialized view']) {
      const make = (title: string) => `
        drop ${kind} if exists note; create ${kind} note as select id, title as ${title}, secret_column, emb_column from base;
        grant select on note to public`
      await run(make('note'))
      await save({ ...defaults, title: 'note' })
      expect((await ask()).results[0]).toMatchObject({ title: 'hello' })
      await run(make('gone_away'))
      expect((await outcome()).answer, kind).toMatchObject(CHANGED)
      await run(`drop ${kind} note`)
    }
    await run(`
      create table note (id text, note text, secret_column text, emb_column vector(384)) partition by list (id);
      create table part partition of note for values in ('a');
      insert into note values ('a', 'hello', '${SECRET}', array_fill(0.1, array[384])::vector)`)
    await save({ ...defaults, title: 'note' })
    expect((await ask()).results[0]).toMatchObject({ title: 'hello' })
    await run('alter table note rename column note to gone_away')
    expect((await outcome()).answer).toMatchObject(CHANGED)
  })

  it('is not replaced by a column that every table has', async () => {
    await makeTable({ table: 'base' })
    await run(
      'drop table if exists note cascade; create view note as select id, title as tableoid, secret_column, emb_column from base',
    )
    await save({ ...defaults, title: 'tableoid' })
    expect((await ask()).results[0]).toMatchObject({ title: 'hello' })
    await run('drop view note; create table note as table base; grant select on note to public')
    expect((await outcome()).answer).toMatchObject(CHANGED)
  })

  it('comes back with its old name, and is answered again', async () => {
    const all = await makeTable({ title: 'note' })
    await save(all)
    await run('alter table note rename column note to gone_away')
    expect((await outcome()).answer).toMatchObject(CHANGED)
    await run('alter table note rename column gone_away to note')
    expect((await ask()).results[0]).toMatchObject({ id: 'a', title: 'hello' })
  })

  it('a column that bears a name this service uses in its statement is read like any other', async () => {
    for (const title of ['read0', 'read1', 'found', 'near', 'answer', 'distance', 'c0', 'c1', 'types', 'attname']) {
      await save(await makeTable({ title }))
      expect((await ask({ secret_column: SECRET })).results[0], title).toMatchObject({ id: 'a', title: 'hello' })
      await run(`alter table note rename column "${title}" to gone_away`)
      expect((await outcome()).answer, title).toMatchObject(CHANGED)
    }
  })
})

needs('postgres')('DS-11 a column that is renamed at the same moment', () => {
  /** Holds the rename back until somebody waits for the table, so that it falls between the look and the use. */
  async function renameWhile(work: () => Promise<unknown>): Promise<unknown> {
    const holder = new pg.Client({ connectionString: source.connection_string })
    await holder.connect()
    await holder.query('begin; alter table note rename column note to gone_away')
    const working = work()
    await until(async () => {
      const { rows } = await holder.query(`select from pg_locks where relation = 'note'::regclass and not granted`)
      return rows.length > 0
    })
    await holder.query('commit')
    await holder.end()
    return working
  }

  it('is not replaced by its row in a question', async () => {
    await save(await makeTable({ title: 'note' }))
    await ask()
    const { answer, text } = (await renameWhile(outcome)) as Awaited<ReturnType<typeof outcome>>
    expect(answer).toMatchObject(CHANGED)
    expect(text).not.toContain(SECRET)
  })

  it('is missed by the check of a save, which says so', async () => {
    const all = await makeTable({ title: 'note' })
    const refused = await renameWhile(() => save(all).catch((error: unknown) => error))
    expect(refused).toMatchObject({
      code: 'INVALID_SEARCH_CONFIGURATION',
      message: 'connection_config.embedding_configs.0.table: column "note" does not exist',
    })
  })
})
