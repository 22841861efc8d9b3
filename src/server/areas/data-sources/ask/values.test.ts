import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

let system: System
let client: Client
let token: string
let source: Awaited<ReturnType<typeof makeSource>>

beforeAll(async () => {
  system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
  token = (await system.member('owner')).token
  client = system.client(token)
  source = await makeSource(client, 'values', 'select 1')
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** A table `t` with the column `value` of this type, one row for each literal, numbered from 1. */
async function makeTable(type: string, literals: readonly string[]): Promise<void> {
  await runIn(
    source.connection_string,
    `drop table if exists t;
     create table t (id int, id_again int generated always as (id) stored, value ${type}, embedding vector(384) default array_fill(0.1, array[384])::vector);
     insert into t (id, value) values ${literals.map((text, i) => `(${i + 1}, ${text})`).join(', ')}`,
  )
}

async function save(filter_schema: Record<string, string> = {}): Promise<void> {
  const embedding_configs = [entry({ table: 't', content_columns: 'id, id_again, value' })]
  await client.call(configureSource, { id: source.id, connection_config: { embedding_configs }, filter_schema })
}

const ask = (filters: Record<string, string | number | boolean> = {}) =>
  client.call(querySource, { id: source.source_id, query: 'anything', filters, top_k: 20 })

describe('numbers', () => {
  const NUMBERS: [type: string, literals: string[], answered: unknown[]][] = [
    [
      'int8',
      ['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807', '-9223372036854775808', '0'],
      [9007199254740991, '9007199254740992', '9007199254740993', '9223372036854775807', '-9223372036854775808', 0],
    ],
    [
      'numeric',
      ['0.1', '12345678901234567890.5', '0.12345678901234567890', `'NaN'`, '-7'],
      [0.1, '12345678901234567890.5', '0.12345678901234567890', 'NaN', -7],
    ],
    [
      'float8',
      ['0.1', '1e308', '5e-324', `'-Infinity'`, `'NaN'`, '0.1::float8 + 0.2::float8'],
      [0.1, '1e+308', 5e-324, '-Infinity', 'NaN', 0.30000000000000004],
    ],
    ['float4', ['0.1', '3.4028235e38', '-1.5'], [0.1, '3.4028235e+38', -1.5]],
    ['int2', ['1', '-32768'], [1, -32768]],
  ]

  it.each(NUMBERS)(
    'DS-10 DS-13 of the type %s are answered unchanged, and find their row as a filter',
    async (type, literals, answered) => {
      await makeTable(type, literals)
      await save({ value: 'number' })
      const { results } = await ask()
      const values = results.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ metadata }) => metadata.value)
      expect(values).toEqual(answered)
      for (const [i, value] of values.entries()) {
        const found = await ask({ value: value as string | number })
        expect(
          found.results.map(({ id }) => id),
          String(value),
        ).toEqual([String(i + 1)])
      }
    },
  )

  it('DS-13 a whole number that JSON changes on the way is refused and finds no neighbour', async () => {
    await makeTable('int8', ['9007199254740992', '9007199254740993'])
    await save({ value: 'number' })
    const send = async (value: string) => {
      const response = await fetch(`${system.url}/api/wf/slim/data-sources/${source.source_id}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
        body: `{"query": "x", "filters": {"value": ${value}}}`,
      })
      const { detail, results } = (await response.json()) as { detail?: string; results?: { id: string }[] }
      return { status: response.status, detail, ids: results?.map(({ id }) => id) }
    }
    const words = 'a whole number beyond 2^53 is not exact as a JSON number; send its digits as a string'
    expect(await send('9007199254740993')).toEqual({ status: 400, detail: `filters.value: ${words}`, ids: undefined })
    expect(await send('[1, 9007199254740993]')).toMatchObject({ status: 400 })
    expect(await send('"9007199254740993"')).toMatchObject({ status: 200, ids: ['2'] })
    expect(await send('["9007199254740992", "9007199254740994"]')).toMatchObject({ status: 200, ids: ['1'] })
    expect(await send('"9007199254740993.0"')).toMatchObject({ status: 200, ids: ['2'] })
    expect(await send('"9007199254740993.5"')).toMatchObject({ status: 200, ids: [] })
    expect(await send('"99999999999999999999"')).toMatchObject({ status: 200, ids: [] })
  })
})

/** Values of each type, with the form in which a hit shows them. */
const SHOWN: [type: string, literal: string, shown: unknown][] = [
  ['jsonb', `'{"n": 12345678901234567890, "list": [1, 0.5]}'`, { n: '12345678901234567890', list: [1, 0.5] }],
  [
    'json',
    `'[1e400, -1e400, 1e2, 9007199254740993, true, null]'`,
    ['1e400', '-1e400', 100, '9007199254740993', true, null],
  ],
  ['jsonb', `'"12345678901234567890"'`, '12345678901234567890'],
  ['timestamptz', `'2026-01-02 03:04:05.6789+01'`, '2026-01-02T02:04:05.678Z'],
  ['timestamp', `'2026-01-02 03:04:05'`, '2026-01-02T03:04:05.000Z'],
  ['timestamptz', `'infinity'`, 'infinity'],
  ['timestamp', `'-infinity'`, '-infinity'],
  ['timestamp', `'0044-03-15 12:00:00 BC'`, '0044-03-15 12:00:00 BC'],
  ['date', `'0044-03-15 BC'`, '0044-03-15 BC'],
  ['text[]', `'{a,b}'`, '{a,b}'],
  ['boolean', 'true', true],
  ['text', `'true'`, 'true'],
  ['text', 'null', null],
]

describe('values', () => {
  it.each(SHOWN)('DS-10 of the type %s, %s is shown as what it is', async (type, literal, shown) => {
    await makeTable(type, [literal])
    await save()
    expect((await ask()).results[0]!.metadata.value).toEqual(shown)
  })

  it('DS-10 44 BC keeps its era with a time zone too', async () => {
    await makeTable('timestamptz', [`'0044-03-15 12:00:00+00 BC'`])
    await save()
    expect((await ask()).results[0]!.metadata.value).toMatch(/^0044-03-\d\d \d\d:\d\d:\d\d[+-][\d:]+ BC$/)
  })

  it('DS-10 domains are shown as the type below them', async () => {
    await runIn(source.connection_string, 'create domain amount as int8; create domain price as amount')
    await makeTable('price', ['7', '9007199254740993'])
    await save()
    const shown = (await ask()).results.map(({ metadata }) => metadata.value)
    expect(shown).toEqual([7, '9007199254740993'])
  })

  /** Each after saving with the first type: what the value becomes in the table, and what a hit shows then. */
  const CHANGES: [from: string, literal: string, to: string, shown: unknown][] = [
    ['int', '7', 'text', '7'],
    ['text', `'7'`, 'int', 7],
    ['text', `'{"n": 1}'`, 'jsonb', { n: 1 }],
    ['jsonb', `'{"n": 1}'`, 'text', '{"n": 1}'],
    ['timestamp', `'2026-01-02 03:04:05'`, 'text', '2026-01-02 03:04:05'],
    ['text', `'2026-01-02 03:04:05'`, 'timestamp', '2026-01-02T03:04:05.000Z'],
    ['timestamp', `'2026-01-02 03:04:05'`, 'date', '2026-01-02'],
    ['boolean', 'true', 'text', 'true'],
    ['text', `'true'`, 'boolean', true],
    ['int', '7', 'numeric(20, 10)', 7],
    ['text', `'seven'`, 'text collate "C"', 'seven'],
  ]

  it.each(CHANGES)(
    'DS-10 a column of %s (%s) that became %s is shown as the type it has',
    async (from, literal, to, shown) => {
      await makeTable(from, [literal])
      await save()
      await ask()
      await runIn(
        source.connection_string,
        `alter table t alter column value type ${to} using value::${to.replace(/ collate.*/, '')}`,
      )
      expect((await ask()).results[0]!.metadata.value).toEqual(shown)
    },
  )
})
