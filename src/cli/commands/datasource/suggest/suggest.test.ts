import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listSources } from '#contract/data-sources/sources.ts'
import { looksSensitive } from '#contract/data-sources/suggest/sensitive-name.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

const MODEL = 'builtin/all-minilm-l6-v2'
let system: System
let admin: Awaited<ReturnType<System['member']>>
let folder: string
let connection: string
beforeAll(async () => {
  system = await startSystem()
  admin = await system.member('admin')
  folder = mkdtempSync(join(tmpdir(), 'svc-suggest-'))
  const client = system.client(admin.token)
  await client.call(createDatabase, { name: 'docs' })
  connection = (await client.call(readConnection, { name: 'docs' })).connection_string
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() =>
  run(`drop table if exists articles, pages, user_sessions, pairs, links, loose, users, plain cascade;
    drop schema if exists "My Docs" cascade`),
)

const run = (statement: string) => runIn(connection, statement)
const svc = (...words: string[]) =>
  runSvc(words, { env: { SVC_API_URL: system.url, SVC_API_KEY: admin.token, NO_COLOR: '1' } })
const suggest = (...words: string[]) => svc('datasource', 'suggest', 'docs', ...words)

const ARTICLES = `create table articles (
  id int primary key, title text, body text, category text, published boolean, updated_at timestamptz,
  author_email text, api_token text, "passwordHash" text, extra jsonb, embedding vector(384))`

describe('DS-29 svc datasource suggest', () => {
  it('proposes the own table, leaves out what could be secret with a question, and saves nothing', async () => {
    await run(ARTICLES)
    const { exit, stdout, stderr } = await suggest()
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      connection_config: {
        embedding_configs: [
          {
            label: 'articles',
            table: 'public.articles',
            columns: ['embedding'],
            model: MODEL,
            dimensions: 384,
            content_columns: 'id, title, body, category, published, updated_at',
          },
        ],
      },
      filter_schema: { category: 'string', published: 'boolean' },
    })
    expect(stderr.trimEnd().split('\n')).toEqual([
      `# public.articles.embedding: did ${MODEL} fill it?`,
      ...['author_email', 'api_token', 'passwordHash'].map(
        (column) =>
          `# public.articles: the column ${column} was left out: it could hold secrets or personal data. May everyone who can ask see it?`,
      ),
      '# public.articles: the column extra was left out: it can hold anything. May everyone who can ask see it?',
      '# articles: everyone who can ask would see id, title, body, category, published, updated_at. Is that right?',
    ])
    expect((await system.client(admin.token).call(listSources, {})).items).toEqual([])
  })

  it('asks for no model where svc db embed filled the column, and asks again once another model may have', async () => {
    await run(`create table plain (id int primary key, title text, embedding vector(384));
      comment on column plain.embedding is 'Ours'; insert into plain values (1, 'Sick days')`)
    const embed = () => svc('db', 'embed', 'docs', '--table', 'plain', '--text', 'title', '--model', MODEL)
    const comment = async () => (await run(`select col_description('plain'::regclass, 3) as text`))[0]?.text
    expect(await embed()).toMatchObject({ exit: 0 })
    expect(await comment()).toBe(`Ours\nsvc embedded: ${MODEL}`)
    const filled = await suggest('plain')
    expect(JSON.parse(filled.stdout).connection_config.embedding_configs[0].model).toBe(MODEL)
    expect(filled.stderr).not.toContain('fill it?')
    await run(
      `comment on column plain.embedding is 'svc embedded: another/model'; insert into plain values (2, 'Cars')`,
    )
    expect((await suggest('plain')).stderr).toContain(`did ${MODEL} fill it?`)
    await embed()
    expect(await comment()).toBeNull()
    expect((await suggest('plain')).stderr).toContain(`did ${MODEL} fill it?`)
  })

  it('says which columns could be filters where it proposes none', async () => {
    await run(
      'create table plain (id int primary key, title text, site text, minutes int, at date, embedding vector(384))',
    )
    const { stdout, stderr } = await suggest('plain')
    expect(JSON.parse(stdout).filter_schema).toEqual({})
    expect(stderr).toContain(
      '# public.plain: no filter was proposed. Should questions filter on another column? Then add it to filter_schema: "site": "string", "minutes": "number".\n',
    )
  })

  it('svc datasource enable prints a template of the own table and names its questions', async () => {
    await run('create table pages (id int primary key, heading text, owner_email text, vectors vector(384))')
    const { stderr } = await svc('datasource', 'enable', 'db_docs')
    expect(stderr).toContain('"table": "public.pages"')
    expect(stderr).toContain('# public.pages: the column owner_email was left out')
    await svc('datasource', 'disable', 'docs')
  })

  it('its output is what svc api PUT saves', async () => {
    await run(
      `${ARTICLES}; create schema "My Docs"; create table "My Docs"."A.b" ("Row No" uuid primary key, v halfvec(384))`,
    )
    await svc('datasource', 'enable', 'docs')
    const place = join(folder, 'search.json')
    writeFileSync(place, (await suggest()).stdout)
    const saved = await svc('api', 'PUT', '/api/wf/data-sources/db_docs', '--data', `@${place}`)
    expect(saved).toMatchObject({ exit: 0 })
    const { connection_config } = JSON.parse(saved.stdout)
    expect(connection_config.embedding_configs.map(({ table }: { table: string }) => table)).toEqual([
      '"My Docs"."A.b"',
      'public.articles',
    ])
    await svc('datasource', 'disable', 'docs')
  })

  it('a model that nobody can know is a question, and the proposal with it is refused when it is saved', async () => {
    await run('create table pages (id int primary key, title text, embedding vector(7))')
    const { stdout, stderr } = await suggest()
    expect(JSON.parse(stdout).connection_config.embedding_configs[0].model).toBe('REPLACE-WITH-YOUR-MODEL')
    expect(stderr).toContain(
      '# public.pages.embedding: which model filled it? No model here has 7 dimensions. Then replace "model": "REPLACE-WITH-YOUR-MODEL".\n',
    )
  })

  it.each([
    [
      'a table of people is left out unless it is named',
      'create table user_sessions (id int primary key, title text, embedding vector(384))',
      'public.user_sessions was left out: its name looks like secrets or people.',
    ],
    [
      'a key of two columns',
      'create table pairs (a int, b int, embedding vector(384), primary key (a, b))',
      'public.pairs was left out: which column identifies a row?',
    ],
    [
      'a key that could be secret',
      'create table links (token text primary key, title text, embedding vector(384))',
      'public.links was left out: which column identifies a row?',
    ],
    [
      'vectors of an unknown size',
      'create table loose (id int primary key, title text, embedding vector)',
      'public.loose was left out: which size do the vectors of embedding have?',
    ],
  ])('%s', async (_, table, question) => {
    await run(table)
    const refused = await suggest()
    expect(refused).toMatchObject({ exit: 4, stdout: '', stderr: expect.stringContaining(`# ${question}`) })
  })

  it('a table that is named is proposed, whatever its name; undeclared sizes are read from a stored vector', async () => {
    await run(`create table users (id int primary key, subject text, embedding vector, other vector(384));
      insert into users values (1, 'a', '[1,2,3]', null)`)
    const { stdout, stderr } = await suggest('users')
    expect(JSON.parse(stdout).connection_config.embedding_configs[0]).toMatchObject({
      table: 'public.users',
      dimensions: 3,
    })
    expect(stderr).toContain('# public.users: search embedding, or other?\n')
  })

  it.each([
    [['nowhere.else'], 4, 'No such table: nowhere.else.'],
    [['article'], 4, 'Did you mean public.articles?'],
    [['a.b.c'], 5, 'The table must be name or schema.name, not a.b.c.'],
    [['plain'], 4, 'it has no vector or halfvec column'],
  ])('svc datasource suggest docs %s exits with %i', async (words, exit, message) => {
    await run(`${ARTICLES}; create table plain (id int primary key)`)
    expect(await suggest(...words)).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('needs the role developer', async () => {
    const { token } = await system.member('member')
    const env = { SVC_API_URL: system.url, SVC_API_KEY: token }
    expect(await runSvc(['datasource', 'suggest', 'docs'], { env })).toMatchObject({ exit: 3, stdout: '' })
  })
})

it('DS-29 names of secrets and of personal data are recognised in any spelling', () => {
  const sensitive = [
    'password',
    'userPassword',
    'APIKey',
    'access_tokens',
    'pwd',
    'sha_hash',
    'E-Mail',
    'phone2 mobile',
  ]
  expect(sensitive.filter((name) => !looksSensitive(name))).toEqual([])
  const ordinary = ['id', 'title', 'body', 'category', 'published_at', 'keyboard', 'passage', 'notebook', 'description']
  expect(ordinary.filter(looksSensitive)).toEqual([])
})
