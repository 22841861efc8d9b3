import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { cutText, toBatches } from './batches.ts'
import { openConnection } from './connection.ts'
import { findTable } from './find-table.ts'
import { progressBar } from './progress-bar.ts'
import { readRows, writeVectors } from './rows.ts'

const MODEL = 'fake/fake-small'
let system: System
let fake: FakeEmbeddings
let env: Record<string, string>
let connection: string
beforeAll(async () => {
  fake = await startFakeEmbeddings()
  system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
  const { token } = await system.member('admin')
  env = { SVC_API_URL: system.url, SVC_API_KEY: token }
  const client = system.client(token)
  await client.call(createDatabase, { name: 'docs' })
  connection = (await client.call(readConnection, { name: 'docs' })).connection_string
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await run('drop table if exists articles, notes, wide, parts cascade; drop schema if exists "My Docs" cascade')
  fake.asked.length = 0
})

const run = (statement: string) => runIn(connection, statement)
const embed = (...args: string[]) => runSvc(['db', 'embed', 'docs', ...args], { env })
const articles = (...more: string[]) =>
  embed('--table', 'public.articles', '--text', 'title,body', '--model', MODEL, ...more)
const ARTICLES = `create table articles (id int primary key, title text, body text, embedding vector(8));
  insert into articles values (1, 'Sick', 'days', null), (2, 'Cars', null, null), (3, '', null, null),
    (4, 'Done', 'before', '[1,1,1,1,1,1,1,1]')`
const vectorOf = (text: string) => `[${fakeVector(text).map(Math.fround).join(',')}]`
/** Distance of each row's vector from what the model makes of a text. */
const distance = async (table: string, where: string, text: string) => {
  const [row] = await run(`select (embedding <-> '${vectorOf(text)}')::float8 as d from ${table} where ${where}`)
  return row?.d
}

describe('DS-24 svc db embed', () => {
  it('fills the rows without a vector, once, and leaves the others and those without text', async () => {
    await run(ARTICLES)
    expect(await articles()).toEqual({
      exit: 0,
      stdout: 'Filled 2 rows of public.articles, 1 have no text.\n',
      stderr: '',
    })
    expect(fake.asked.map(({ body }) => body.input)).toEqual([['Sick days', 'Cars']])
    expect(await distance('articles', 'id = 1', 'Sick days')).toBeCloseTo(0, 5)
    expect(await run('select id from articles where embedding is null')).toEqual([{ id: 3 }])
    expect(await run(`select embedding::text as v from articles where id = 4`)).toEqual([{ v: '[1,1,1,1,1,1,1,1]' }])
    expect((await articles('--json')).stdout).toContain('"embedded": 0')
    expect(fake.asked).toHaveLength(1)
  })

  it('--dry-run counts, and sends and writes nothing', async () => {
    await run(ARTICLES)
    expect(await articles('--dry-run')).toMatchObject({
      exit: 0,
      stdout: `2 of 3 rows without a vector in public.articles would be sent to ${MODEL}, in about 1 calls.\n`,
    })
    expect(fake.asked).toEqual([])
    expect(await run('select count(*)::int as n from articles where embedding is null')).toEqual([{ n: 3 }])
  })

  it('goes by the place of a row where there is no primary key', async () => {
    await run(`create table notes (body text, embedding vector(8));
      insert into notes select 'note ' || n from generate_series(1, 700) n`)
    const done = await embed('--table', 'notes', '--text', 'body', '--model', MODEL)
    expect(done.stdout).toBe('Filled 700 rows of public.notes.\n')
    expect(await distance('notes', `body = 'note 700'`, 'note 700')).toBeCloseTo(0, 5)
    expect(fake.asked.every(({ body }) => body.input.length <= 96)).toBe(true)
  })

  it('takes keys of several columns and any names', async () => {
    await run(`create schema "My Docs"; create table "My Docs"."v.1" (k0 uuid default gen_random_uuid(), digest text,
      "v" timestamptz default now(), "the ""text""" text, "E" halfvec(8), primary key ("v", k0));
      insert into "My Docs"."v.1" (digest, "the ""text""") values ('a', 'b'), ('c', 'd')`)
    const done = await embed(
      '--table',
      '"My Docs"."v.1"',
      '--text',
      'digest,"the ""text"""',
      '--column',
      'E',
      '--model',
      MODEL,
    )
    expect(done).toMatchObject({ exit: 0, stdout: 'Filled 2 rows of My Docs.v.1.\n' })
    expect(fake.asked.flatMap(({ body }) => body.input).toSorted()).toEqual(['a b', 'c d'])
  })

  it('goes on after a failure, with the rows that are left', async () => {
    await run(`create table notes (id int primary key, body text, embedding vector(8));
      insert into notes select n, 'note ' || n from generate_series(1, 120) n`)
    const go = () => embed('--table', 'notes', '--text', 'body', '--model', MODEL)
    fake.next.push({ body: (right) => right }, { status: 400 })
    expect((await go()).exit).not.toBe(0)
    expect(await run('select count(*)::int as n from notes where embedding is null')).toEqual([{ n: 24 }])
    expect(await go()).toMatchObject({ exit: 0, stdout: 'Filled 24 rows of public.notes.\n' })
  })

  it('--watch fills new rows', async () => {
    await run(ARTICLES)
    const watching = articles('--watch')
    await until(async () => (await run('select 1 from articles where id = 2 and embedding is not null')).length > 0)
    await run(`insert into articles values (5, 'New', 'row', null)`)
    await until(async () => (await run('select 1 from articles where id = 5 and embedding is not null')).length > 0)
    await run('drop table articles')
    const { exit, stderr } = await watching
    expect(exit).toBe(5)
    expect(stderr).toContain('Filled 1 row of public.articles, 1 have no text.')
    expect(stderr).toContain('The database refused this: relation "public.articles" does not exist.')
  })

  it('a row whose text changed meanwhile keeps no vector of the former text', async () => {
    await run(ARTICLES)
    const db = await openConnection(connection, 'docs')
    const table = await findTable(db, { table: 'articles', text: ['title', 'body'], column: 'embedding' })
    const rows = await readRows(db, table, undefined, 2)
    await db.query(`update articles set title = 'Other' where id = 1`)
    expect(
      await writeVectors(
        db,
        table,
        rows,
        rows.map(({ text }) => fakeVector(text)),
      ),
    ).toBe(1)
    await db.close()
    expect(await run('select id from articles where embedding is not null order by id')).toEqual([{ id: 2 }, { id: 4 }])
  })
})

describe('DS-24 svc db embed refuses in words, and sends nothing', () => {
  beforeEach(() =>
    run(`${ARTICLES}; create view seen as select * from articles;
      create table wide (id int primary key, body text, embedding vector(16));
      create table parts (n int, body text, embedding vector(8)) partition by range (n)`),
  )

  it.each([
    [
      ['--table', 'public.artcles', '--text', 'title'],
      4,
      'No such table: public.artcles. Did you mean public.articles?',
    ],
    [['--table', 'nothing_like_it', '--text', 'title'], 4, 'There are public.articles, public.parts, public.wide.'],
    [['--table', 'articles', '--text', 'titel'], 4, 'public.articles has no column titel. Did you mean title?'],
    [['--table', 'articles', '--text', 'title', '--column', 'vector'], 4, 'has no column vector. There are id, title,'],
    [['--table', 'articles', '--text', 'title', '--column', 'body'], 5, 'is text. It must be vector or halfvec'],
    [['--table', 'seen', '--text', 'title'], 5, 'public.seen is not a table.'],
    [['--table', 'parts', '--text', 'body'], 5, 'public.parts has partitions and no primary key.'],
    [['--table', 'a.b.c', '--text', 'title'], 5, '--table must be name or schema.name, not a.b.c.'],
    [['--table', 'articles', '--text', 'title,,body'], 5, '--text must be column names with commas between them'],
    [
      ['--table', 'wide', '--text', 'body'],
      5,
      'makes vectors of 8 dimensions, and the column "embedding" of public.wide takes 16.',
    ],
    [['--text', 'title'], 5, '--table is missing.'],
  ])('%j', async (args, exit, words) => {
    const done = await embed(...args, '--model', MODEL)
    expect(done).toMatchObject({ exit, stdout: '' })
    expect(done.stderr).toContain(words)
    expect(fake.asked).toEqual([])
  })

  it.each([
    ['fake/fake-smal', 4, 'No such model: fake/fake-smal. Did you mean fake/fake-small?'],
    ['gpt', 4, `Models: builtin/all-minilm-l6-v2, ${MODEL}.`],
  ])('--model %s', async (model, exit, words) => {
    const done = await embed('--table', 'articles', '--text', 'title', '--model', model)
    expect(done).toMatchObject({ exit, stdout: '' })
    expect(done.stderr).toContain(words)
  })

  it('a database that does not exist, and one that cannot be reached', async () => {
    const done = await runSvc(['db', 'embed', 'nowhere', '--table', 'a', '--text', 'b', '--model', MODEL], { env })
    expect(done.exit).toBe(4)
    await expect(openConnection('postgres://u:p@127.0.0.1:1/x', 'docs')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('No connection to the database docs') as unknown,
    })
  })
})

describe('DS-24 what is sent', () => {
  const row = (text: string) => ({ keys: ['1'], text, digest: '' })
  it('calls have at most 96 texts and stay below the size that the gateway takes', () => {
    expect(toBatches(Array.from({ length: 200 }, () => row('x'))).map((batch) => batch.length)).toEqual([96, 96, 8])
    const large = toBatches(Array.from({ length: 96 }, () => row('\u0001'.repeat(8192))))
    expect(large.length).toBeGreaterThan(1)
    for (const batch of large) {
      expect(Buffer.byteLength(JSON.stringify(batch.map(({ text }) => text)))).toBeLessThan(1024 * 1024)
    }
    expect(toBatches([])).toEqual([])
  })

  it('texts are cut to 8192 characters, never in the middle of one', () => {
    expect(cutText('x'.repeat(9000))).toHaveLength(8192)
    expect(cutText(`${'x'.repeat(8191)}😀y`)).toBe('x'.repeat(8191))
    expect(cutText('short')).toBe('short')
  })

  it('the bar shows how much is done', () => {
    expect(progressBar(250, 1000, 5)).toBe('[#####···············] 250 of 1000 (25 %), 50 a second')
    expect(progressBar(0, 0, 0)).toBe('[####################] 0 of 0 (100 %)')
  })
})
