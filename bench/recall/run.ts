import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import type { Reader } from '../../src/server/areas/data-sources/search/reader.ts'
import { createEntrySearch } from '../../src/server/areas/data-sources/search/search-entry.ts'
import { searchSettings } from '../../src/server/areas/data-sources/search/settings.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { type Data, distances, makeData, type Row, type Shape, seeded } from './data.ts'
import { articles, FILTERS, fillArticles, type Index, openManaged } from './database.ts'
import { measureKinds } from './kinds.ts'
import { measureText } from './text.ts'
import { measureEntry } from './work.ts'

/**
 * Whether a question finds what an exact search would, and how fast, beside pgvector's strict iterative scan at its
 * default `ef_search`, kept from other plans. Clusters overlap and no filtered column has an index. The questions go
 * through the product's own search, as the reader of a managed database, on a Postgres of its own with the memory a
 * server in use would have (a tenth takes the one of SVC_TEST_DATABASE_URL). IVFFlat has no strict scan: its peer is the
 * relaxed one. Each index is measured first, as the worker does, and searched as the measurement chose. Recall, and that
 * every answer is whole and in order, do not depend on speed: these floors fail the run, a tenth too.
 *
 * A number of rows as an argument runs that size alone, `text` real text alone, `uniform` random directions alone.
 */
const tenth = process.argv.includes('--tenth')
const SEED = 7
const K = 10
/** Rows at the same distance are equally good, so answers are compared by the distance of the last expected row. */
const DISTANCE_TOLERANCE = 1e-6
const QUESTIONS = tenth ? 25 : 200
const WARM_UP = 5
const only = process.argv.find((argument) => /^\d+$/.test(argument))
const here = process.env.SVC_TEST_DATABASE_URL

type Size = { rows: number; dimensions: number; indexes: Index[]; shape?: Shape }
const SIZES: Size[] = [
  { rows: 10_000, dimensions: 384, indexes: [{ method: 'hnsw' }] },
  { rows: 50_000, dimensions: 384, indexes: [{ method: 'ivfflat', lists: 50 }, { method: 'hnsw' }] },
  { rows: 100_000, dimensions: 384, indexes: [{ method: 'hnsw' }] },
  { rows: 1_000_000, dimensions: 32, indexes: [{ method: 'hnsw' }] },
]
/** Random directions have no neighbours that an index could follow, so they must be answered by an exact search. */
const UNIFORM: Size = { rows: 10_000, dimensions: 384, indexes: [{ method: 'hnsw' }], shape: 'uniform' }
const SMALL: Size = { rows: 5_000, dimensions: 64, indexes: [{ method: 'hnsw' }] }

type Filter = { name: string; column?: keyof typeof FILTERS | 'cluster'; value: (question: number) => number }
type Case = Filter & { recall?: number; timesPeer?: number }
const part = (column: keyof typeof FILTERS) => ({ column, value: (n: number) => n % FILTERS[column] })
const CASES: Case[] = [
  { name: 'no filter', value: () => 0, recall: 0.99 },
  { name: '50 %', ...part('half'), recall: 0.99 },
  { name: '10 %', ...part('tenth'), recall: 0.985 },
  { name: '5 %', ...part('twentieth'), recall: 1 },
  { name: '1 %', ...part('hundredth'), recall: 1, timesPeer: 2 },
  { name: '0.1 %', ...part('thousandth'), recall: 1, timesPeer: 2 },
  { name: '0.5 %, far', column: 'cluster', value: (n) => n, recall: 1, timesPeer: 2 },
  { name: 'no row', column: 'half', value: () => 2, recall: 1, timesPeer: 2 },
]

const floors: Floor[] = []
const searchEntry = createEntrySearch(systemClock)

type Readers = { reader: Reader; peer: Reader }
type Measure = { found: number; expected: number; correct: number; ms: number[] }
/** `counting`: milliseconds to count the filtered rows, the lower bound of an exact search without an index. */
type Ways = Record<'ours' | 'peer', Measure> & { counting: number[] }

if (tenth && here) await run(here)
else if (tenth || storesMissing())
  console.log('bench/recall/run.ts is left out: it needs Postgres, the embedded engine is not measured')
else {
  await using stores = await startStores()
  await run(stores.databaseUrl)
}

function chosenSizes(): Size[] {
  if (process.argv.includes('text')) return []
  if (process.argv.includes('uniform')) return [UNIFORM]
  if (only) return SIZES.filter(({ rows }) => rows === Number(only))
  return tenth ? [SMALL] : [...SIZES, UNIFORM]
}

async function run(url: string): Promise<void> {
  console.log(`${QUESTIONS} questions for ${K} hits each, seed ${SEED}; times are medians of one question at a time`)
  for (const { indexes, ...size } of chosenSizes()) {
    await using managed = await openManaged(url)
    const data = makeData(seeded(SEED), { ...size, questions: QUESTIONS + WARM_UP })
    await fillArticles(managed.owner, data)
    for (const index of indexes) {
      const { entry, seconds } = await managed.index(articles(data), index)
      const options = Object.entries(index).map(([name, value]) => `${name} ${value}`)
      const name = `${size.rows} ${size.shape ?? 'rows'}, ${index.method}`
      console.log(`\n${name} x ${size.dimensions}, ${options.join(', ')}, built in ${seconds.toFixed(0)} s`)
      const measured = await measureEntry(managed.reader, entry, size.rows)
      floors.push(...(await measureKinds(managed.reader, name, { entry, measured, data })))
      if (size.shape === 'uniform') continue
      const results = await askAll(managed, { entry, measured }, data)
      for (const [i, each] of CASES.entries()) {
        print(each, results[i]!, index.method === 'hnsw')
        floors.push(...floorsOf(`${name}, ${each.name}`, each, results[i]!.ours))
      }
    }
  }
  if (!tenth && (!only || process.argv.includes('text'))) floors.push(...(await measureText(url)))
  requireFloors(floors)
}

function floorsOf(name: string, { recall }: Case, { correct, expected, found, ms }: Measure): Floor[] {
  const whole = { name: `${name}: answers whole and in order`, value: found / ms.length, atLeast: 1 }
  if (recall === undefined) return [whole]
  return [{ name: `${name}: recall`, value: expected === 0 ? 1 : correct / expected, atLeast: recall }, whole]
}

/** The entry as it is configured, which the peer searches, and as the product searches it after measuring. */
type Searched = { entry: ResolvedEntry; measured: ResolvedEntry }

async function askAll(db: Readers, searched: Searched, data: Data): Promise<Ways[]> {
  const empty = (): Measure => ({ found: 0, expected: 0, correct: 0, ms: [] })
  const measured = CASES.map((): Ways => ({ ours: empty(), peer: empty(), counting: [] }))
  for (const [n, { vector }] of data.questions.same.entries()) {
    const distance = distances(data, vector)
    for (const [i, { column, value }] of CASES.entries()) {
      const into = n < WARM_UP ? { ours: empty(), peer: empty(), counting: [] } : measured[i]!
      const filter = column && { column, value: value(n) }
      await askOnce(
        db,
        searched,
        { vector: `[${vector.join(',')}]`, filter, truth: truthOf(data, distance, filter) },
        into,
      )
    }
  }
  return measured
}

type Filtered = { column: NonNullable<Filter['column']>; value: number } | undefined
type Truth = { fits: (id: number) => boolean; count: number; distance: Float64Array; last: number }
type RecallQuestion = { vector: string; filter: Filtered; truth: Truth }

/** Returns the expected answer: the nearest K rows that match the filter, or all if there are fewer. */
function truthOf({ rows }: Data, distance: Float64Array, filter: Filtered): Truth {
  const fits = (id: number) => filter === undefined || rowHas(rows[id]!, filter)
  const nearest: number[] = []
  for (let id = 0; id < rows.length; id++) {
    if (distance[id]! >= (nearest[K - 1] ?? Infinity) || !fits(id)) continue
    nearest.push(distance[id]!)
    nearest.sort((a, b) => a - b)
    nearest.length = Math.min(nearest.length, K)
  }
  return { fits, count: nearest.length, distance, last: nearest.at(-1) ?? -1 }
}

function rowHas({ cluster, bucket }: Row, { column, value }: NonNullable<Filtered>): boolean {
  return (column === 'cluster' ? cluster : bucket % FILTERS[column]) === value
}

/** Asks both ways in turn; which one is first alternates. */
async function askOnce(
  db: Readers,
  { entry, measured }: Searched,
  { vector, filter, truth }: RecallQuestion,
  into: Ways,
): Promise<void> {
  const operator = 'equals' as const
  const filters = filter ? [{ column: filter.column, operator, values: [filter.value] }] : []
  const searches = {
    ours: async () =>
      (await searchEntry(db.reader, { entry: measured, filters, vector, limit: K })).map(({ c0 }) => Number(c0)),
    peer: () => iteratively(db.peer, entry, vector, filter),
  }
  const order = into.ours.ms.length % 2 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)
  for (const way of order) {
    const started = performance.now()
    const ids = await searches[way]()
    into[way].ms.push(performance.now() - started)
    judge(into[way], ids, truth)
  }
  if (filter) into.counting.push(await countingMs(db.reader, filter, searchSettings({ entry: measured, filters })))
}

async function countingMs(db: Reader, { column, value }: NonNullable<Filtered>, settings: Sql): Promise<number> {
  const statement = sql`select count(*) from public.articles where ${identifier(column)} = ${value}`
  const started = performance.now()
  await db.reads((on) => on.query(statement), settings)
  return performance.now() - started
}

function judge(into: Measure, ids: number[], { fits, count, distance, last }: Truth): void {
  const ordered = ids.every((id, i) => i === 0 || distance[ids[i - 1]!]! <= distance[id]! + DISTANCE_TOLERANCE)
  const whole = ids.length === count && new Set(ids).size === count && ids.every(fits)
  into.expected += count
  into.correct += ids.filter((id) => distance[id]! <= last + DISTANCE_TOLERANCE).length
  into.found += whole && ordered ? 1 : 0
}

async function iteratively(
  db: Reader,
  { index }: Pick<ResolvedEntry, 'index'>,
  vector: string,
  filter: Filtered,
): Promise<number[]> {
  const mode = index === 'hnsw' ? 'strict_order' : 'relaxed_order'
  const distance = sql`embedding operator(public.<=>) ${vector}::public.vector`
  const where = filter ? sql`where ${identifier(filter.column)} = any(${[filter.value]}::int[])` : sql``
  const statement = sql`
    select id, title, ${distance} as distance from public.articles ${where} order by ${distance} limit ${integer(K)}`
  const settings = sql`
    select set_config(${`${index}.iterative_scan`}, ${mode}, false), set_config('enable_seqscan', 'off', false),
           set_config('hnsw.ef_search', '40', false), set_config('ivfflat.probes', '1', false)`
  const rows = await db.reads((on) => on.query<{ id: number }>(statement), settings)
  return rows.map(({ id }) => id)
}

function print({ name, recall, timesPeer }: Case, { ours, peer, counting }: Ways, isStrict: boolean): void {
  const [mine, theirs] = [median(ours.ms), median(peer.ms)]
  const limit = recall === undefined ? '' : ` (limit ${recall})`
  const faster = `${(theirs / mine).toFixed(1)} times as fast${timesPeer && isStrict ? ` (limit ${timesPeer})` : ''}`
  console.log(
    `${name.padEnd(11)} recall ${shareOf(ours)}${limit.padEnd(14)} whole and in order ${percent(ours)}  ` +
      `${mine.toFixed(2).padStart(7)} ms   peer: ${shareOf(peer)} ${percent(peer)} ${theirs.toFixed(2).padStart(7)} ms, ${faster}` +
      (timesPeer ? `; counting ${median(counting).toFixed(2)} ms` : ''),
  )
}

function shareOf({ correct, expected }: Measure): string {
  return (expected === 0 ? 1 : correct / expected).toFixed(3)
}

function percent({ found, ms }: Measure): string {
  return `${Math.round((100 * found) / ms.length)} %`.padStart(5)
}

function median(ms: number[]): number {
  return ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)]!
}
