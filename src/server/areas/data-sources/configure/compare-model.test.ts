import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { sql } from '#lib/db/sql.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { MODEL, makeSource, runIn } from '#test/sources/configured-source.ts'
import { fakeLiteral } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'

const REMOTE = 'fake/fake-small'
const TOPICS = ['sick days', 'company cars', 'pay and bonus', 'safety at work', 'travel', 'laptops', 'parental leave']
const text = (n: number) => `Note ${n}\nabout ${TOPICS[n % TOPICS.length]}, canary-${n}`
const literals = (rows: number, vectorOf: (n: number) => string) =>
  Array.from(
    { length: rows },
    (_, n) => `(${n}, 'Note ${n}', 'about ${TOPICS[n % TOPICS.length]}, canary-${n}', 'secret-${n}', ${vectorOf(n)})`,
  ).join(', ')
const table = (name: string, rows: string, type = 'vector(8)') =>
  `create table ${name} (id int primary key, title text, body text, secret text, embedding ${type});
   ${rows && `insert into ${name} values ${rows}`};`
const right = (rows: number) => literals(rows, (n) => fakeLiteral(text(n)))
const wrong = (rows: number) => literals(rows, (n) => fakeLiteral(`another model ${n}`))

const TABLES = `
  ${table('matching', right(30))}
  ${table('foreign_vectors', wrong(30))}
  ${table('three', right(3))}
  ${table('halves', right(12), 'halfvec(8)')}
  ${table(
    'repeated',
    literals(30, () => fakeLiteral('same')),
  )}
  ${table('empty', '')}
  ${table('guarded', right(12))}
  alter table guarded enable row level security;
  create policy shown on guarded for select using (id >= 6);
  create view seen as select * from matching;`

describe('the model of a search configuration', () => {
  let system: System
  let fake: FakeEmbeddings
  let client: Client
  let connection: string
  beforeAll(async () => {
    fake = await startFakeEmbeddings()
    system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
    client = system.client((await system.member('owner')).token)
    connection = (await makeSource(client, 'notes', TABLES)).connection_string
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await fake?.[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    fake.asked.length = 0
    fake.next.length = 0
  })

  const entry = (name: string, over: object = {}) => ({
    label: name,
    table: name,
    model: REMOTE,
    dimensions: 8,
    content_columns: 'id, title, body',
    ...over,
  })
  const save = (names: string[], send_sample_to_provider?: boolean) =>
    client.call(configureSource, {
      id: 'db_notes',
      connection_config: { embedding_configs: names.map((name) => entry(name)) },
      ...(send_sample_to_provider !== undefined && { send_sample_to_provider }),
    })
  const modelWarnings = (warnings: readonly string[]) => warnings.filter((warning) => warning.includes(REMOTE))
  const sent = () => fake.asked.flatMap(({ body }) => body.input)

  it('DS-06 a default save sends no content to a provider outside, and says so', async () => {
    for (const asked of [undefined, false]) {
      const { warnings, model_checks } = await save(['foreign_vectors'], asked)
      expect(modelWarnings(warnings)).toEqual([])
      expect(model_checks).toEqual([
        {
          label: 'foreign_vectors',
          outcome: 'not_compared',
          detail: `${REMOTE} is a model of a provider outside. Save with send_sample_to_provider to compare it.`,
        },
      ])
    }
    expect(fake.asked).toEqual([])
  })

  it('DS-06 vectors of another model are warned of in the answer and where the source is shown, and it is saved', async () => {
    const { warnings, model_checks } = await save(['matching', 'foreign_vectors'], true)
    const warning =
      `the vectors of "embedding" in public.foreign_vectors do not resemble those that ${REMOTE} makes of the content ` +
      'columns (8 rows were compared at the last save): another model filled the column, or it was filled from other ' +
      'columns. Questions then find unrelated rows. Configure the model that filled it, or fill it again'
    expect(modelWarnings(warnings)).toEqual([warning])
    expect(model_checks).toEqual([
      { label: 'matching', outcome: 'alike', detail: '8 rows were compared' },
      { label: 'foreign_vectors', outcome: 'different', detail: '8 rows were compared' },
    ])
    const shown = await client.call(getSource, { id: 'db_notes' })
    expect(modelWarnings(shown.warnings)).toEqual([warning])
    expect(shown.connection_config.embedding_configs).toHaveLength(2)
    expect(modelWarnings((await save(['matching'], true)).warnings)).toEqual([])
    expect(modelWarnings((await client.call(getSource, { id: 'db_notes' })).warnings)).toEqual([])
  })

  it('DS-06 at most 8 rows are sent, of the content columns only, without the id', async () => {
    await save(['matching'], true)
    expect(sent()).toHaveLength(8)
    for (const content of sent()) expect(content).toMatch(/^Note \d+\nabout [\w ]+, canary-\d+$/)
    expect(new Set(sent()).size).toBe(8)
  })

  it('DS-06 rows are read as the reader, so those that a policy hides are not sent', async () => {
    const { model_checks } = await save(['guarded'], true)
    expect(model_checks[0]).toMatchObject({ outcome: 'alike', detail: '6 rows were compared' })
    expect(sent().map((content) => Number(/canary-(\d+)/.exec(content)![1]))).toEqual([6, 7, 8, 9, 10, 11])
  })

  it('DS-06 content is neither cached nor logged', async () => {
    await save(['matching'], true)
    const first = sent()
    await save(['matching'], true)
    expect(sent()).toEqual([...first, ...first])
    const stored = await system.db.query<{ all: string }>(sql`select s::text as all from data_sources.sources s`)
    expect(stored.map(({ all }) => all).join()).not.toContain('canary-')
    expect(system.logs.join('')).not.toContain('canary-')
  })

  it.each([
    ['three', 'not_compared', 'There are not enough rows: at least 4 with a vector and different content.'],
    ['empty', 'not_compared', 'There are not enough rows: at least 4 with a vector and different content.'],
    ['repeated', 'not_compared', 'There are not enough rows: at least 4 with a vector and different content.'],
    ['halves', 'alike', '8 rows were compared'],
    ['seen', 'alike', '8 rows were compared'],
  ])('DS-06 the table %s is %s', async (name, outcome, detail) => {
    const { warnings, model_checks } = await save([name], true)
    expect(model_checks).toEqual([{ label: name, outcome, detail }])
    expect(modelWarnings(warnings)).toEqual([])
  })

  it.each([
    ['refuses', { status: 400 }],
    ['breaks off', 'half'],
    ['answers nonsense', { body: () => ({ data: 'x' }) }],
  ] as const)('DS-06 a provider that %s skips the comparison, and the save says so', async (_, behaviour) => {
    fake.next.push(...Array<typeof behaviour>(10).fill(behaviour))
    const { warnings, model_checks } = await save(['foreign_vectors'], true)
    expect(model_checks).toEqual([
      { label: 'foreign_vectors', outcome: 'not_compared', detail: 'the model did not answer' },
    ])
    expect(modelWarnings(warnings)).toEqual([
      `the vectors of "embedding" in public.foreign_vectors were not compared with ${REMOTE}: the model did not answer. Save again to compare them`,
    ])
    expect(JSON.stringify(warnings)).not.toContain('canary-')
  })

  it('DS-06 the built-in model is compared in every save, because no content leaves the service', async () => {
    const articles = Array.from({ length: 10 }, (_, n) => ({
      id: n,
      title: TOPICS[n % 7]!,
      body: `${text(n)} and more`,
    }))
    const input = articles.map(({ title, body }) => `${title}\n${body}`)
    const { data } = await client.call(createEmbeddings, { model: MODEL, input })
    const rows = articles.map(
      ({ id, title, body }, n) => `(${id}, '${title}', '${body}', '[${(data[n]!.embedding as number[]).join()}]')`,
    )
    const make = (name: string, shift: string) => `
      create table ${name} (id int, title text, body text, embedding vector(384));
      insert into ${name} values ${rows.join()};
      update ${name} set embedding = (select ${shift} from unnest(embedding::real[]) with ordinality as e (v, n));`
    await runIn(connection, make('own', 'array_agg(v order by n)::vector'))
    await runIn(connection, make('other', 'array_agg(v order by md5(n::text))::vector'))
    const embedding_configs = ['own', 'other'].map((name) => entry(name, { model: MODEL, dimensions: 384 }))
    const { warnings, model_checks } = await client.call(configureSource, {
      id: 'db_notes',
      connection_config: { embedding_configs },
    })
    expect(model_checks.map(({ label, outcome }) => [label, outcome])).toEqual([
      ['own', 'alike'],
      ['other', 'different'],
    ])
    expect(warnings.filter((warning) => warning.includes('do not resemble'))).toHaveLength(1)
    expect(fake.asked).toEqual([])
  })

  it('DS-06 the comparison is metered: without tokens left it is skipped, and the save says so', async () => {
    const used = async () => {
      const [row] = await system.db.query<{ tokens: number }>(
        sql`select sum(tokens)::int as tokens from ai.gateway_usage`,
      )
      return row!.tokens
    }
    const before = await used()
    await save(['matching'], true)
    const words = sent().reduce((sum, content) => sum + content.split(/\s+/).length, 0)
    expect((await used()) - before).toBe(words)
    await system.db.query(sql`update ai.gateway_usage set tokens = 1000000000000`)
    fake.asked.length = 0
    const { model_checks } = await save(['matching'], true)
    expect(model_checks[0]).toMatchObject({
      outcome: 'not_compared',
      detail: 'too few tokens of the organization are left today',
    })
    expect(fake.asked).toEqual([])
  })
})
