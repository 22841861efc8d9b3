import type { SearchChoice } from '../search/choice.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { EF_SEARCH_STEPS, probesOf } from '../search/settings.ts'
import { createStatements, type EntryQuery } from '../search/statements.ts'
import { bindVector } from '../search/vector.ts'
import { chooseSearch, isSufficient, isTooPoor, type Measurement } from './choose-search.ts'
import { makePoints, type Points, readVector } from './points.ts'
import { BUDGET_MS, createRunner, type Measured, MeasuringStopped, type Run } from './runner.ts'
import { distancesOf, sampleStatement } from './statements.ts'

type Measuring = Measured & {
  readonly tableRows: number
  /** For ids of a type that Postgres cannot order, such as json. */
  readonly ordersIdsAsText?: boolean
  readonly random?: () => number
}

const QUESTIONS_PER_KIND = 200
const MIN_QUESTIONS_PER_KIND = 40
const SAMPLED_ROWS = 1_000
const HITS = 10
const DISTANCE_TOLERANCE = 1e-6
/**
 * Smaller values are never chosen: where clusters overlap, middles of rows are found more easily than questions. With 40
 * middles found 0.996 of 5,000 rows and questions 0.984.
 */
const MIN_EF_SEARCH = 80
const PROBED_SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1]

/**
 * Asks the index with points between rows, compares with the exact answers and chooses how it is searched. Returns
 * undefined if the table has too few rows to ask with. The time of all statements together is bounded.
 */
export async function measureIndex(measuring: Measuring): Promise<SearchChoice | undefined> {
  const run = createRunner(measuring)
  const { entry, tableRows, random = Math.random, budgetMs = BUDGET_MS } = measuring
  const sample = await run<{ vector: string }>(entry, sampleStatement(entry, tableRows, SAMPLED_ROWS))
  if (sample.rows.length < 2) return undefined
  const rows = sample.rows.map(({ vector }) => readVector(vector))
  // A small table has few places to ask about.
  const each = Math.min(Math.max(rows.length, MIN_QUESTIONS_PER_KIND), QUESTIONS_PER_KIND)
  const kinds = makePoints(rows, each, random)
  const { ordersIdsAsText = false } = measuring
  const queryOf = (asked: ResolvedEntry, point: Float32Array): EntryQuery => ({
    entry: asked,
    vector: bindVector(point, asked.vector_type),
    filters: [],
    limit: HITS,
    ordersIdsAsText,
  })
  const exact = await askExactly(run, queryOf, entry, kinds, budgetMs / 2)
  const asked = kinds.map((points) => points.slice(0, exact.nearest.length))
  const measurements: Measurement[] = []
  const efforts = effortsOf(entry)
  for (const effort of efforts) {
    const isLast = effort === efforts.at(-1)
    const measurement = await askIndex(run, queryOf, { ...entry, effort }, { kinds: asked, ...exact, isLast })
    measurements.push(measurement)
    if (isSufficient(measurement) || measurement.ms >= exact.ms) break
  }
  return chooseSearch(exact.ms, measurements)
}

function effortsOf(entry: ResolvedEntry): readonly number[] {
  if (entry.index === 'hnsw') return EF_SEARCH_STEPS.filter((effort) => effort >= MIN_EF_SEARCH)
  return [...new Set(PROBED_SHARES.map((share) => probesOf(entry, share)))]
}

type QueryOf = (entry: ResolvedEntry, point: Float32Array) => EntryQuery
type Found = { readonly distance: number }
/** The distances of each question's nearest rows, for each kind of question. */
type Nearest = readonly (readonly number[])[]

/** Asks for the exact answers, as many as the time allows: the same number of each kind. */
async function askExactly(run: Run, queryOf: QueryOf, entry: ResolvedEntry, kinds: Points, limitMs: number) {
  const statements = createStatements()
  const nearest: Nearest[] = []
  const times: number[] = []
  let spentMs = 0
  for (let n = 0; n < kinds[0]!.length && spentMs < limitMs; n++) {
    const ofKinds: number[][] = []
    for (const points of kinds) {
      const { rows, ms } = await run<Found>(entry, distancesOf(statements.exact(queryOf(entry, points[n]!))))
      ofKinds.push(rows.map(({ distance }) => distance))
      times.push(ms)
      spentMs += ms
    }
    nearest.push(ofKinds)
  }
  if (nearest.length < MIN_QUESTIONS_PER_KIND) throw new MeasuringStopped('too_large')
  return { nearest, ms: medianOf(times) }
}

type IndexQuestions = { readonly kinds: Points; readonly nearest: readonly Nearest[]; readonly isLast: boolean }

/** Stops early at an effort that cannot suffice any more, unless it is the last, whose recall is reported. */
async function askIndex(
  run: Run,
  queryOf: QueryOf,
  entry: ResolvedEntry,
  { kinds, nearest, isLast }: IndexQuestions,
): Promise<Measurement> {
  const statements = createStatements()
  const times: number[] = []
  const recalls: number[][] = kinds.map(() => [])
  for (const [n, expected] of nearest.entries()) {
    for (const [kind, points] of kinds.entries()) {
      const { rows, ms } = await run<Found>(entry, distancesOf(statements.byIndex(queryOf(entry, points[n]!))))
      recalls[kind]!.push(recallOf(rows, expected[kind]!))
      times.push(ms)
    }
    if (!isLast && recalls.some((kind) => isTooPoor(kind, nearest.length))) break
  }
  return { effort: entry.effort!, recalls, ms: medianOf(times) }
}

function recallOf(found: readonly Found[], expected: readonly number[]): number {
  if (expected.length === 0) return 1
  const nearestLast = expected.at(-1)!
  const last = nearestLast + DISTANCE_TOLERANCE * Math.max(1, Math.abs(nearestLast))
  return Math.min(1, found.filter(({ distance }) => distance <= last).length / expected.length)
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}
