import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { entry, MODEL, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

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
let source: Awaited<ReturnType<typeof makeSource>>
let vector: string

beforeAll(async () => {
  system = await startSystem()
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'library', TABLES)
  const { source_id: id } = source
  const { data } = await client.call(createEmbeddings, { model: MODEL, input: ['anything'] })
  vector = `[${(data[0]!.embedding as number[]).join(',')}]`
  const { warnings } = await client.call(configureSource, {
    id,
    connection_config: {
      embedding_configs: ['hnsw', 'ivfflat'].map((table) => entry({ label: table, table })),
    },
    filter_schema: { common: 'boolean', rare: 'number' },
  })
  expect(warnings.filter((text) => text.includes('compare all rows'))).toEqual([])
  await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Found = { id: string; score: number }

/** Searches by reading every row: an index cannot serve an order by the distance plus zero. */
async function exactly(table: string, where: string): Promise<Found[]> {
  const distance = `embedding <=> '${vector}'`
  const rows = await runIn(
    source.connection_string,
    `select id::text, 1 - (${distance}) as score from ${table} where ${where} order by (${distance}) + 0, id limit 20`,
  )
  return rows as Found[]
}

async function asked(target: string | undefined, filters: object): Promise<Found[]> {
  const { results, count } = await client.call(querySource, {
    id: 'db_library',
    query: 'anything',
    filters: filters as Record<string, number>,
    ...(target && { target }),
    top_k: 20,
  })
  expect(count).toBe(results.length)
  return results.map(({ id, metadata }) => ({ id, score: metadata._score as number }))
}

describe.each(['hnsw', 'ivfflat'])('DS-15 with an index of the kind %s', (target) => {
  it.each([
    ['three rows pass', { rare: 7 }, 'rare = 7', 3],
    ['two filters leave three of', { common: true, rare: [7, 10] }, 'common and rare in (7, 10)', 3],
    ['no row passes', { rare: 800 }, 'rare = 800', 0],
  ])('a filter that %s is answered exactly', async (_, filters, where, count) => {
    const found = await asked(target, filters)
    expect(found).toHaveLength(count)
    expect(found).toEqual(await exactly(target, where))
  })

  it.each([
    ['no filter', {}, 'true'],
    ['a filter most rows pass', { common: true }, 'common'],
  ])('%s gives top_k hits, the nearest 99 %% of the time, in their true order', async (_, filters, where) => {
    const found = await asked(target, filters)
    const exact = await exactly(target, where)
    expect(new Set(found.map(({ id }) => id)).size).toBe(20)
    const right = found.filter(({ id }) => exact.some((row) => row.id === id))
    expect(right.length / 20).toBeGreaterThanOrEqual(0.99)
    expect(found).toEqual(found.toSorted((a, b) => b.score - a.score || Number(a.id) - Number(b.id)))
    for (const { id, score } of right) expect(score).toBe(exact.find((row) => row.id === id)!.score)
  })
})

describe('DS-14 two entries', () => {
  it('without a target are one ranking of the nearest rows of both, each hit with its own label', async () => {
    const { results } = await client.call(querySource, {
      id: 'db_library',
      query: 'anything',
      filters: { rare: [7, 10] },
      top_k: 20,
    })
    const rows = await exactly('hnsw', 'rare in (7, 10)')
    expect(rows).toHaveLength(6)
    // Both tables hold the same rows, so that each score comes twice: first of the entry that was configured first.
    const expected = rows.flatMap(({ id, score }) => ['hnsw', 'ivfflat'].map((label) => [id, score, label]))
    expect(results.map(({ id, metadata }) => [id, metadata._score, metadata._target])).toEqual(expected)
  })

  it('without a target share top_k by score, not by entry', async () => {
    const ask = async (target?: string) => {
      const input = { id: 'db_library', query: 'anything', filters: { rare: 7 }, top_k: 2, ...(target && { target }) }
      const { results } = await client.call(querySource, input)
      return results.map(({ id, metadata }) => [id, metadata._target])
    }
    const [nearest, second] = (await exactly('hnsw', 'rare = 7')).map(({ id }) => id)
    expect(await ask()).toEqual([
      [nearest, 'hnsw'],
      [nearest, 'ivfflat'],
    ])
    expect(await ask('ivfflat')).toEqual([
      [nearest, 'ivfflat'],
      [second, 'ivfflat'],
    ])
  })
})
