import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/client.ts'
import { exposeSource, querySource } from '#contract/data-sources.ts'
import { configureSource } from '#contract/search-config.ts'
import { type System, startSystem } from '../../../../test/help/system.ts'
import { entry, makeSource, runIn } from '../configure/test-source.ts'

/** Enough rows for a filter that is asked of the index, and one that leaves too few for it. */
const TABLE = `
  create table articles (id int primary key, title text, common boolean, rare int, embedding vector(384));
  insert into articles
  select n, 'article ' || n, n % 10 > 0, n % 800,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector
  from generate_series(1, 2400) n;
  analyze articles`

describe.each([
  ['hnsw', ''],
  ['ivfflat', 'with (lists = 30)'],
])('DS-15 with an index of the kind %s', (method, options) => {
  let system: System
  let client: Client

  beforeAll(async () => {
    system = await startSystem()
    client = system.client((await system.member('owner')).token)
    const { source_id: id, connection_string } = await makeSource(client, 'library', TABLE)
    await runIn(connection_string, `create index on articles using ${method} (embedding vector_cosine_ops) ${options}`)
    const { warnings } = await client.call(configureSource, {
      id,
      connection_config: { embedding_configs: [entry({})] },
      filter_schema: { common: 'boolean', rare: 'number' },
    })
    expect(warnings.filter((text) => text.includes('searched exactly'))).toEqual([])
    await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it.each([
    ['no filter', {}, 20],
    ['a filter most rows pass', { common: true }, 20],
    ['a filter three rows pass', { rare: 7 }, 3],
    ['two filters together', { common: true, rare: [7, 10] }, 3],
    ['a filter no row passes', { rare: 800 }, 0],
  ])('%s gives as many hits as there are, up to top_k, nearest first', async (_, filters, count) => {
    const answer = await client.call(querySource, { id: 'db_library', query: 'anything', filters, top_k: 20 })
    expect(answer.count).toBe(count)
    expect(new Set(answer.results.map(({ id }) => id)).size).toBe(count)
    const scores = answer.results.map(({ metadata }) => metadata._score as number)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })
})
