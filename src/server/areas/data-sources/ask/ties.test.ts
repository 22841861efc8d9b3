import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>

beforeAll(async () => {
  system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'ties', 'select 1')
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** Twelve rows that are all as near as each other, in an order that is neither that of their values nor of their text. */
const NUMBERS = [3, 12, 1, 10, 7, 2, 11, 5, 9, 4, 8, 6]

async function makeTable(type: string, literals: readonly string[], index: string): Promise<void> {
  await runIn(
    source.connection_string,
    `drop table if exists t;
     create table t (id ${type}, live boolean default true,
       embedding vector(384) default array_fill(0.1, array[384])::vector);
     insert into t (id) values ${literals.map((text) => `(${text})`).join(', ')};
     ${index}; analyze t`,
  )
  await client.call(configureSource, {
    id: source.id,
    connection_config: { embedding_configs: [entry({ table: 't', content_columns: 'id' })] },
    filter_schema: { live: 'boolean' },
  })
}

const ids = async (more: object = {}) => {
  const { results } = await client.call(querySource, { id: source.source_id, query: 'anything', top_k: 12, ...more })
  return results.map(({ id }) => id)
}

const INDEX = 'create index on t using hnsw (embedding vector_cosine_ops)'

describe.each([
  ['no index', 'select 1'],
  ['an index', INDEX],
])('DS-15 equal scores, with %s', (_, index) => {
  const inOrder = Array.from({ length: 12 }, (_row, i) => String(i + 1))

  it.each(['int2', 'int4', 'int8', 'numeric', 'float8', 'oid'])(
    'of %s ids are in the order of numbers',
    async (type) => {
      await makeTable(type, NUMBERS.map(String), index)
      expect(await ids()).toEqual(inOrder)
      expect(await ids({ filters: { live: true } })).toEqual(inOrder)
      expect(await ids({ top_k: 5 })).toEqual(inOrder.slice(0, 5))
    },
  )

  it.each([
    ['text', `text collate "C"`, (n: number) => `'${n}'`],
    ['text in the collation of the database', 'text', (n: number) => `'${n % 2 ? 'a' : 'B'} ${n}'`],
    ['uuid', 'uuid', (n: number) => `md5('${n}')::uuid`],
    ['timestamptz', 'timestamptz', (n: number) => `timestamptz '2026-01-01 00:00+00' - interval '${n} years' * 300`],
    ['date', 'date', (n: number) => `date '0005-01-01' - interval '${n} years'`],
    ['boolean', 'boolean', (n: number) => String(n > 6)],
    ['int[]', 'int[]', (n: number) => `array[${n}]`],
  ])('of %s ids are in the order that SQL gives them', async (_type, type, literal) => {
    await makeTable(type, NUMBERS.map(literal), index)
    const rows = await runIn(
      source.connection_string,
      'select row_number() over (order by id) as place, id::text from t',
    )
    const expected = rows.map(({ id }) => id as string)
    const answered = await ids()
    expect(answered.map(toMoment)).toEqual(expected.map(toMoment))
  })

  it('of ids that SQL cannot order are in the order of their text, also after the type became another', async () => {
    await makeTable(
      'json',
      NUMBERS.map((n) => `'${n}'`),
      index,
    )
    const asText = inOrder.toSorted()
    expect(await ids()).toEqual(asText)
    expect(await ids({ filters: { live: true } })).toEqual(asText)
    await makeTable('int4', NUMBERS.map(String), index)
    expect(await ids()).toEqual(inOrder)
    await runIn(source.connection_string, 'alter table t alter column id type json using id::text::json')
    expect(await ids()).toEqual(asText)
  })
})

/** Times are answered in RFC 3339; everything else as Postgres writes it. */
function toMoment(text: string): string {
  return /^\d{4}-\d\d-\d\d[ T]\d\d:/.test(text) && !text.endsWith('BC')
    ? new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString()
    : text
}
