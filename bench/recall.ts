import { script, sql } from '../src/lib/db/sql.ts'
import { searchEntry } from '../src/server/data-sources/ask/search.ts'
import type { ResolvedEntry } from '../src/server/data-sources/configure/resolved.ts'
import type { ManagedDb } from '../src/server/databases/engine/pools.ts'
import { type Data, distances, makeData, seeded } from './recall-data.ts'
import { FILTERS, type Index, openManaged } from './recall-database.ts'

/**
 * Whether a question finds what an exact search would, and how fast, beside pgvector's strict iterative scan at its
 * default `ef_search`, kept from other plans. Clusters overlap and no filtered column has an index. The questions go
 * through the product's own search, as the reader of a managed database. Needs SVC_TEST_DATABASE_URL.
 */
const tenth = process.argv.includes('--tenth')
const SEED = 7
const K = 10
/** Two rows as near as each other are as good: what counts is the distance of the last that had to be found. */
const SAME = 1e-6
const QUESTIONS = tenth ? 25 : 100
const server = process.env.SVC_TEST_DATABASE_URL

type Size = { rows: number; dimensions: number; indexes: Index[] }
const SIZES: Size[] = tenth
  ? [{ rows: 8_000, dimensions: 64, indexes: [{ method: 'hnsw' }] }]
  : [
      { rows: 10_000, dimensions: 384, indexes: [{ method: 'ivfflat', lists: 10 }, { method: 'hnsw' }] },
      { rows: 100_000, dimensions: 384, indexes: [{ method: 'ivfflat', lists: 100 }, { method: 'hnsw' }] },
      { rows: 1_000_000, dimensions: 64, indexes: [{ method: 'hnsw' }] },
    ]

type Filter = { name: string; column?: keyof typeof FILTERS | 'cluster'; value: (question: number) => number }
type Case = Filter & { recall?: number; timesStrict?: number }
const part = (column: keyof typeof FILTERS) => ({ column, value: (n: number) => n % FILTERS[column] })
const CASES: Case[] = [
  { name: 'no filter', value: () => 0, recall: 0.99 },
  { name: '50 %', ...part('half'), recall: 0.99 },
  { name: '10 %', ...part('tenth'), recall: 0.985 },
  { name: '5 %', ...part('twentieth'), recall: 1 },
  { name: '1 %', ...part('hundredth'), recall: 1, timesStrict: 2 },
  { name: '0.1 %', ...part('thousandth'), recall: 1, timesStrict: 2 },
  { name: '0.5 %, far', column: 'cluster', value: (n) => n, recall: 1, timesStrict: 2 },
  { name: 'no row', column: 'half', value: () => 2, recall: 1, timesStrict: 2 },
]

type Measure = { found: number; wanted: number; right: number; ms: number[] }
type Ways = Record<'ours' | 'strict', Measure>

if (server) await run(server)
else console.log('bench/recall.ts needs SVC_TEST_DATABASE_URL: the embedded engine is not measured')

async function run(url: string): Promise<void> {
  console.log(`${QUESTIONS} questions for ${K} hits each, seed ${SEED}; times are medians of one question at a time`)
  for (const { indexes, ...size } of SIZES) {
    await using managed = await openManaged(url)
    const data = makeData(seeded(SEED), { ...size, questions: QUESTIONS })
    await managed.fill(data)
    const truth = data.questions.map(({ vector }) => distances(data, vector))
    for (const index of indexes) {
      const { entry, seconds } = await managed.index(index)
      const named = index.method === 'hnsw' ? 'hnsw' : `ivfflat with ${index.lists} lists`
      console.log(`\n${size.rows} rows x ${size.dimensions}, ${named}, built in ${seconds.toFixed(0)} s`)
      await ask(managed.reader, entry, data, truth, CASES[0]!, 5)
      for (const each of CASES) print(each, await ask(managed.reader, entry, data, truth, each, QUESTIONS))
    }
  }
}

async function ask(
  db: ManagedDb,
  entry: ResolvedEntry,
  data: Data,
  truth: Float64Array[],
  { column, value }: Filter,
  questions: number,
): Promise<Ways> {
  const empty = (): Measure => ({ found: 0, wanted: 0, right: 0, ms: [] })
  const ways: Ways = { ours: empty(), strict: empty() }
  for (const [n, { vector }] of data.questions.slice(0, questions).entries()) {
    const matches = matching(data, column, value(n))
    const filters = column ? [{ column, values: [value(n)] }] : []
    const text = `[${vector.join(',')}]`
    const run = {
      ours: async () => (await searchEntry(db, { entry, filters, vector: text, limit: K })).map(({ id }) => Number(id)),
      strict: () => strictly(db, entry, text, column, value(n)),
    }
    for (const way of n % 2 ? (['ours', 'strict'] as const) : (['strict', 'ours'] as const)) {
      const started = performance.now()
      const ids = await run[way]()
      ways[way].ms.push(performance.now() - started)
      judge(ways[way], ids, truth[n]!, matches)
    }
  }
  return ways
}

function matching({ rows }: Data, column: Filter['column'], value: number): number[] {
  const parts = column === undefined || column === 'cluster' ? 1 : FILTERS[column]
  const fits = rows.filter((row) => (column === 'cluster' ? row.cluster : row.bucket % parts) === value)
  return (column === undefined ? rows : fits).map(({ id }) => id)
}

function judge(into: Measure, ids: number[], distance: Float64Array, matches: number[]): void {
  const nearest = Float64Array.from(matches, (id) => distance[id]!).sort()
  const wanted = Math.min(K, matches.length)
  const last = nearest[wanted - 1] ?? -1
  const ordered = ids.every((id, i) => i === 0 || distance[ids[i - 1]!]! <= distance[id]! + SAME)
  const allowed = new Set(matches)
  const complete = ids.length === wanted && new Set(ids).size === wanted && ids.every((id) => allowed.has(id))
  into.wanted += wanted
  into.right += ids.filter((id) => distance[id]! <= last + SAME).length
  into.found += complete && ordered ? 1 : 0
}

async function strictly(
  db: ManagedDb,
  { index }: ResolvedEntry,
  vector: string,
  column: string | undefined,
  value: number,
): Promise<number[]> {
  const condition = column ? script(`where ${column} = any($2::int[])`).text : ''
  const mode = index === 'hnsw' ? 'strict_order' : 'relaxed_order'
  return db.tx(
    async (tx) => {
      await tx.query(sql`select set_config(${`${index}.iterative_scan`}, ${mode}, true),
                                set_config('enable_seqscan', 'off', true)`)
      const text = `select id, title, embedding operator(public.<=>) $1::public.vector as distance
        from public.articles ${condition} order by embedding operator(public.<=>) $1::public.vector limit ${K}`
      const values = column ? [vector, [value]] : [vector]
      const rows = await tx.query<{ id: number }>({ name: `strict_${column}`, text, values })
      return rows.map(({ id }) => id)
    },
    { readOnly: true, timeoutMs: 10_000 },
  )
}

function print({ name, recall, timesStrict }: Case, { ours, strict }: Ways): void {
  const [mine, theirs] = [median(ours.ms), median(strict.ms)]
  const limit = recall === undefined ? '' : ` (limit ${recall})`
  const faster = `${(theirs / mine).toFixed(1)} times as fast${timesStrict ? ` (limit ${timesStrict})` : ''}`
  console.log(
    `${name.padEnd(11)} recall ${shareOf(ours)}${limit.padEnd(14)} whole and in order ${percent(ours)}  ` +
      `${mine.toFixed(2).padStart(7)} ms   strict: ${shareOf(strict)} ${percent(strict)} ${theirs.toFixed(2).padStart(7)} ms, ${faster}`,
  )
}

function shareOf({ right, wanted }: Measure): string {
  return (wanted === 0 ? 1 : right / wanted).toFixed(3)
}

function percent({ found, ms }: Measure): string {
  return `${Math.round((100 * found) / ms.length)} %`.padStart(5)
}

function median(ms: number[]): number {
  return ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)]!
}
