import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

const BEFORE = 'fake/fake-small'
const AFTER = 'other/fake-small'
const COLUMN = 'embedding_other_fake_small'
const QUESTIONS = `
- {question: row 1 one, expect: 1}
- {question: row 2 two, expect: 2}
- {question: cars, expect: 7}
`
let system: System
let before: FakeEmbeddings
let after: FakeEmbeddings
let client: Client
let env: Record<string, string>
let source: Awaited<ReturnType<typeof makeSource>>
let org: string

beforeAll(async () => {
  before = await startFakeEmbeddings()
  after = await startFakeEmbeddings({ salt: 'other' })
  const providers = [before.provider('fake'), after.provider('other')]
  const limits = { SVC_QUESTIONS_PER_MINUTE: '100000', SVC_QUESTIONS_PER_DAY: '1000000' }
  system = await startSystem({ env: { ...limits, SVC_AI_PROVIDERS: JSON.stringify(providers) } })
  const { token, org_id } = await system.member('owner')
  org = org_id
  env = { SVC_API_URL: system.url, SVC_API_KEY: token }
  client = system.client(token)
  source = await makeSource(client, 'docs', 'create table articles (id int)')
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await before?.[Symbol.asyncDispose]()
  await after?.[Symbol.asyncDispose]()
})

const run = (statement: string) => runIn(source.connection_string, statement)
const embed = (...args: string[]) => runSvc(['db', 'embed', 'docs', '--table', 'articles', ...args], { env })
const switchTo = (model: string, ...args: string[]) =>
  runSvc(
    ['db', 'embed', 'docs', '--table', 'articles', '--model', model, '--switch', '--yes', '--questions', '-', ...args],
    { env, stdin: QUESTIONS },
  )
const ask = async (query: string) => (await client.call(querySource, { id: source.id, query })).results
const entries = async () => (await client.call(getSource, { id: source.id })).connection_config.embedding_configs
const literal = (text: string) => `'[${fakeVector(text).join(',')}]'`
const rows = Array.from({ length: 10 }, (_, n) => `(${n}, 'row ${n}', 'x${n}', ${literal(`row ${n} x${n}`)})`)
const configs = ['articles', 'again'].map((label) => ({
  label,
  table: 'articles',
  model: BEFORE,
  dimensions: 8,
  content_columns: 'id, title',
}))

beforeEach(async () => {
  await run(`drop table if exists articles cascade;
    create table articles (id int primary key, title text, body text, embedding vector(8));
    insert into articles values ${rows.join(', ')};
    update articles set body = 'one' where id = 1; update articles set body = 'two' where id = 2;
    update articles set embedding = ${literal('row 1 one')} where id = 1;
    create index on articles using hnsw (embedding vector_cosine_ops) with (m = 8, ef_construction = 32);
    comment on column articles.embedding is 'Ours'`)
  await client.call(configureSource, {
    id: source.id,
    connection_config: { embedding_configs: configs },
    filter_schema: { title: 'string' },
  })
})

describe('DS-27 svc db embed --switch', () => {
  it('fills a column of its own, builds the same index, compares, and changes every entry of the table', async () => {
    const done = await switchTo(AFTER, '--text', 'title,body')
    expect(done).toMatchObject({
      exit: 0,
      stdout: `db_docs answers questions about public.articles by ${AFTER} (${COLUMN}) now. 10 rows were filled.\n`,
    })
    expect(done.stderr).toContain(`HIT RATE  ${BEFORE}  ${AFTER}
at 1      33.3 % (1 of 3)  66.7 % (2 of 3)`)
    expect(done.stderr).toContain(
      'Moved: row 2 two (3 to 1)\nFound: cars (now at 7)\n1 found, 0 lost, 1 moved, 1 the same.',
    )
    expect(done.stderr).toContain(
      `Go back with: svc db embed docs --table articles --text title,body --model ${BEFORE} --switch`,
    )
    const config = { model: AFTER, columns: [COLUMN], dimensions: 8, distance_metric: 'cosine' }
    expect(await entries()).toEqual(configs.map((each) => ({ ...each, ...config })))
    expect((await client.call(getSource, { id: source.id })).filter_schema).toEqual({ title: 'string' })
    expect((await ask('row 2 two'))[0]).toMatchObject({ id: '2', title: 'row 2' })
    expect(await run(`select indexdef from pg_indexes where indexdef like '%${COLUMN}%'`)).toEqual([
      {
        indexdef: expect.stringMatching(
          /using hnsw \(embedding_other_fake_small vector_cosine_ops\) with \(m='?8'?, ef_construction='?32'?\)/i,
        ) as unknown,
      },
    ])
    expect(await run('select count(embedding)::int as n from articles')).toEqual([{ n: 10 }])
    const audit = await client.call(listAudit, { org_id: org })
    expect(audit.items.find(({ action }) => action === 'data_source.embedding_changed')).toMatchObject({
      target: source.id,
      detail: { from: { column: 'embedding', model: BEFORE }, labels: ['articles', 'again'] },
    })
  })

  it('is repeated without doing anything twice, and goes back to the old column while it is there', async () => {
    await switchTo(AFTER, '--text', 'title,body')
    after.asked.length = 0
    expect(await switchTo(AFTER)).toMatchObject({
      exit: 0,
      stdout: `db_docs is answered by ${AFTER} already. Nothing was switched.\n`,
    })
    expect(after.asked).toEqual([])
    await run(`update articles set body = 'changed' where id = 3; insert into articles values (11, 'new', 'row')`)
    const back = await switchTo(BEFORE, '--text', 'title,body', '--force', '-o', 'json')
    expect(JSON.parse(back.stdout)).toMatchObject({ to: { column: 'embedding' }, filled: 2, switched: true })
    expect((await ask('row 3 changed'))[0]).toMatchObject({ id: '3' })
    expect((await ask('new row'))[0]).toMatchObject({ id: '11' })
    const comment = `select col_description('articles'::regclass, 4) as text`
    expect(await run(comment)).toEqual([{ text: `Ours\nsvc vectors: {"model":"${BEFORE}","text":["title","body"]}` }])
  })

  it('--drop-old drops what no entry searches, and only that', async () => {
    await switchTo(AFTER, '--text', 'title,body')
    const refused = await embed('--drop-old')
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(refused.stderr).toContain(`This drops embedding (${BEFORE}) of public.articles`)
    expect(await embed('--drop-old', '--yes')).toMatchObject({
      exit: 0,
      stdout: `Dropped embedding (${BEFORE}) of public.articles.\n`,
    })
    expect((await ask('row 2 two'))[0]).toMatchObject({ id: '2' })
    expect(await run(`select proname from pg_proc where proname like 'zz_svc_%'`)).toEqual([])
    expect((await embed('--drop-old', '--yes')).stderr).toContain('has no vector column that a switch left behind')
  })

  it('goes on where it stopped, and leaves no vector of a former text', async () => {
    after.next.push({ status: 400 })
    expect((await switchTo(AFTER, '--text', 'title,body')).exit).not.toBe(0)
    expect(await entries()).toMatchObject([{ model: BEFORE }, { model: BEFORE }])
    await run(`update articles set ${COLUMN} = ${literal('old')} where id < 5; update articles set body = 'y' where id = 4;
      update articles set body = 'z', ${COLUMN} = ${literal('own')} where id = 3`)
    const cleared = `select array_agg(id order by id) as ids from articles where ${COLUMN} is null and id < 6`
    expect(await run(cleared)).toEqual([{ ids: [4, 5] }])
    expect(await switchTo(AFTER, '--force')).toMatchObject({ exit: 0, stdout: expect.stringContaining('6 rows were') })
    expect((await ask('row 4 y'))[0]).toMatchObject({ id: '4' })
  })

  it('grants the reader the new column and takes back the old one', async () => {
    await switchTo(AFTER, '--text', 'title,body')
    const reader = await readerOf(system, source)
    expect(await runIn(reader, `select count(${COLUMN})::int as n from public.articles`)).toEqual([{ n: 10 }])
    await expect(runIn(reader, 'select count(embedding) from public.articles')).rejects.toMatchObject({ code: '42501' })
  })

  it('asks on a terminal before it switches, and goes on from there if it is run again', async () => {
    const args = ['--text', 'title,body', '--model', AFTER, '--switch', '--without-questions']
    const onTerminal = (stdin: string) =>
      runSvc(['db', 'embed', 'docs', '--table', 'articles', ...args], { env, stdin, columns: 200 })
    const declined = await onTerminal('no\n')
    expect(declined.exit).toBe(130)
    expect(declined.stderr).toContain(`by ${AFTER} instead of ${BEFORE} without a comparison. Type yes to continue`)
    expect(declined.stderr).toContain(`The column ${COLUMN} stays. Run the command again to go on`)
    expect(await entries()).toMatchObject([{ model: BEFORE }, { model: BEFORE }])
    const asked = after.asked.length
    expect(await onTerminal('yes\n')).toMatchObject({ exit: 0 })
    expect(after.asked.length).toBe(asked)
    expect(await entries()).toMatchObject([{ model: AFTER }, { model: AFTER }])
  })

  it('--dry-run says what is to be done and changes nothing', async () => {
    const done = await embed('--text', 'title,body', '--model', AFTER, '--switch', '--dry-run')
    expect(done).toMatchObject({ exit: 0, stderr: '' })
    expect(done.stdout).toContain(`would use ${COLUMN} (${AFTER}, vector(8)).\n10 rows are to be filled`)
    expect(await run(`select from pg_attribute where attname = '${COLUMN}'`)).toEqual([])
  })
})

describe('DS-27 svc db embed --switch refuses', () => {
  it('to switch by itself to a model that finds fewer of the expected ids', async () => {
    await run(`insert into articles (id, title, embedding)
      select n, 'other ' || n, ${literal('far')} from generate_series(20, 79) n`)
    const stdin = '- {question: row 5 x5, expect: 5}\n- {question: row 8 x8, expect: 8}\n'
    const args = ['--table', 'articles', '--text', 'title', '--model', AFTER, '--switch', '--yes', '--questions', '-']
    const done = await runSvc(['db', 'embed', 'docs', ...args], { env, stdin })
    expect(done.exit).toBe(1)
    expect(done.stderr).toContain('finds fewer of the expected ids. Nothing was switched. Add --force')
    expect(await entries()).toMatchObject([{ model: BEFORE }, { model: BEFORE }])
  })

  it('to lose more than 1 % of the rows that are found today', async () => {
    await run(`update articles set title = '', body = null where id = 9`)
    const done = await switchTo(AFTER, '--text', 'title,body')
    expect(done).toMatchObject({ exit: 6, stdout: '' })
    expect(done.stderr).toContain('1 of 10 rows of public.articles that questions find today have no vector')
    expect(await entries()).toMatchObject([{ model: BEFORE }, { model: BEFORE }])
    expect(await switchTo(AFTER, '--force')).toMatchObject({ exit: 0 })
  })

  it.each([
    [['--model', AFTER, '--switch', '--text', 'title', '--yes'], 5, '--questions is missing.'],
    [['--model', AFTER, '--switch', '--text', 'title', '--without-questions'], 5, 'there is no terminal. Add --yes'],
    [['--switch', '--text', 'title', '--yes'], 5, '--model is missing.'],
    [['--model', AFTER, '--switch', '--yes', '--without-questions'], 5, '--text is missing.'],
    [['--model', AFTER, '--switch', '--yes', '--without-questions', '--text', 'titel'], 4, 'Did you mean title?'],
    [['--model', 'other/none', '--switch', '--yes', '--without-questions', '--text', 'title'], 4, 'No such model'],
    [
      ['--model', AFTER, '--switch', '--yes', '--without-questions', '--text', 'title', '--column', 'second'],
      6,
      'No entry of db_docs searches public.articles by the column second',
    ],
    [['--model', AFTER, '--switch', '--drop-old', '--yes'], 5, '--switch and --drop-old cannot be used together'],
    [['--drop-old', '--yes'], 5, 'public.articles has no vector column that a switch left behind.'],
  ])('%j', async (args, exit, words) => {
    const done = await embed(...args)
    expect(done).toMatchObject({ exit, stdout: '' })
    expect(done.stderr).toContain(words)
    expect(await run(`select from pg_attribute where attname = '${COLUMN}'`)).toEqual([])
  })

  it('a column of that name that svc did not make, and other text columns than before', async () => {
    await run(`alter table articles add column ${COLUMN} vector(8)`)
    const foreign = await switchTo(AFTER, '--text', 'title')
    expect(foreign).toMatchObject({ exit: 5 })
    expect(foreign.stderr).toContain(`has a column ${COLUMN} that svc did not make`)
    await run(`alter table articles drop column ${COLUMN}`)
    after.next.push({ status: 400 })
    await switchTo(AFTER, '--text', 'title')
    expect((await switchTo(AFTER, '--text', 'title,body')).stderr).toContain(
      'was filled from title, not from title, body',
    )
  })

  it('to compare by a source that is not exposed', async () => {
    await client.call(exposeSource, { id: source.id, exposed: false })
    const done = await switchTo(AFTER, '--text', 'title')
    expect(done).toMatchObject({ exit: 5 })
    expect(done.stderr).toContain('db_docs is not exposed, so its questions cannot be asked.')
    await client.call(exposeSource, { id: source.id, exposed: true })
  })
})

needs('postgres')('DS-27 a table that is in use', () => {
  it('is changed between the transactions of others, and questions never queue behind the switch', async () => {
    const holder = new pg.Client({ connectionString: source.connection_string })
    await holder.connect()
    await holder.query('begin; select count(*) from articles')
    const switching = switchTo(AFTER, '--text', 'title,body')
    for (let n = 0; n < 20; n++) expect((await ask('row 1 one'))[0]).toMatchObject({ id: '1' })
    await holder.query('commit')
    await holder.end()
    expect(await switching).toMatchObject({ exit: 0 })
  })

  it('has an index whose build was broken off: it is built again', async () => {
    await run(`alter table articles add column ${COLUMN} vector(8)`)
    await run(`comment on column articles.${COLUMN} is 'svc vectors: {"model":"${AFTER}","text":["title","body"]}'`)
    const builder = new pg.Client({ connectionString: source.connection_string })
    await builder.connect()
    const holder = new pg.Client({ connectionString: source.connection_string })
    await holder.connect()
    await holder.query('begin; update articles set title = title where id = 1')
    const building = builder
      .query(`create index concurrently broken on articles using hnsw (${COLUMN} vector_cosine_ops)`)
      .catch(() => undefined)
    const state = `select indisvalid from pg_index where indexrelid = to_regclass('broken')`
    while ((await run(state)).length === 0) await new Promise(setImmediate)
    await run(`select pg_cancel_backend(pid) from pg_stat_activity where query like 'create index concurrently broken%'
      and pid <> pg_backend_pid()`)
    await building
    await holder.query('commit')
    await holder.end()
    await builder.end()
    expect(await run(state)).toEqual([{ indisvalid: false }])
    expect(await switchTo(AFTER)).toMatchObject({ exit: 0 })
    const valid = `select indisvalid as valid from pg_index i join pg_attribute a on a.attrelid = i.indrelid
      and a.attnum = i.indkey[0] where a.attname = '${COLUMN}'`
    expect(await run(valid)).toEqual([{ valid: true }])
  })
})
