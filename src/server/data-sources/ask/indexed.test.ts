import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/client.ts'
import { exposeSource, querySource } from '#contract/data-sources.ts'
import { configureSource } from '#contract/search-config.ts'
import { type System, startSystem } from '../../../../test/help/system.ts'
import { entry, makeSource } from '../configure/test-source.ts'

/** Enough rows for a filter that is asked of the index, and one that leaves too few for it. */
const TABLES = `
  create table hnsw as
  select n as id, 'article ' || n as title, n % 10 > 0 as common, n % 800 as rare,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 2400) n;
  create table ivfflat as select * from hnsw;
  create index on hnsw using hnsw (embedding vector_cosine_ops) with (m = 4, ef_construction = 16);
  create index on ivfflat using ivfflat (embedding vector_cosine_ops) with (lists = 30);
  analyze hnsw; analyze ivfflat`

let system: System
let client: Client

beforeAll(async () => {
  system = await startSystem()
  client = system.client((await system.member('owner')).token)
  const { source_id: id } = await makeSource(client, 'library', TABLES)
  const { warnings } = await client.call(configureSource, {
    id,
    connection_config: {
      embedding_configs: ['hnsw', 'ivfflat'].map((table) => entry({ label: table, table })),
    },
    filter_schema: { common: 'boolean', rare: 'number' },
  })
  expect(warnings.filter((text) => text.includes('searched exactly'))).toEqual([])
  await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

describe.each(['hnsw', 'ivfflat'])('DS-15 with an index of the kind %s', (target) => {
  it.each([
    ['no filter', {}, 20],
    ['a filter most rows pass', { common: true }, 20],
    ['a filter three rows pass', { rare: 7 }, 3],
    ['two filters together', { common: true, rare: [7, 10] }, 3],
    ['a filter no row passes', { rare: 800 }, 0],
  ])('%s gives as many hits as there are, up to top_k, nearest first', async (_, filters, count) => {
    const answer = await client.call(querySource, { id: 'db_library', query: 'anything', filters, target, top_k: 20 })
    expect(answer.count).toBe(count)
    expect(new Set(answer.results.map(({ id }) => id)).size).toBe(count)
    const scores = answer.results.map(({ metadata }) => metadata._score as number)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })
})
