import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/client.ts'
import { exposeSource, querySource } from '#contract/data-sources.ts'
import { configureSource } from '#contract/search-config.ts'
import { type System, startSystem } from '../../../../test/help/system.ts'
import { entry, makeSource, runIn } from '../configure/test-source.ts'

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
    const words = 'a whole number beyond 2^53 cannot be read exactly as a JSON number; send its digits as a string'
    expect(await send('9007199254740993')).toEqual({ status: 400, detail: `filters.value: ${words}`, ids: undefined })
    expect(await send('[1, 9007199254740993]')).toMatchObject({ status: 400 })
    expect(await send('"9007199254740993"')).toMatchObject({ status: 200, ids: ['2'] })
    expect(await send('["9007199254740992", "9007199254740994"]')).toMatchObject({ status: 200, ids: ['1'] })
    expect(await send('"9007199254740993.0"')).toMatchObject({ status: 200, ids: ['2'] })
    expect(await send('"9007199254740993.5"')).toMatchObject({ status: 200, ids: [] })
    expect(await send('"99999999999999999999"')).toMatchObject({ status: 200, ids: [] })
  })
})
