import { setTimeout } from 'node:timers/promises'
import { systemClock } from '#lib/time/clock.ts'
import { measureIndex } from '../../src/server/areas/data-sources/measure/measure-index.ts'
import { MeasuringStopped } from '../../src/server/areas/data-sources/measure/runner.ts'
import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import type { Reader } from '../../src/server/areas/data-sources/search/reader.ts'
import { createEntrySearch } from '../../src/server/areas/data-sources/search/search-entry.ts'
import { searchSettings } from '../../src/server/areas/data-sources/search/settings.ts'
import { createStatements, type EntryQuery } from '../../src/server/areas/data-sources/search/statements.ts'
import { backendOf, buffersOf, cpuMs } from './backend.ts'

const K = 10
const DISTANCE_TOLERANCE = 1e-6
/** Pages are counted for some of the questions only, because EXPLAIN runs each of them again. */
const EXPLAINED = 20

export type Filters = EntryQuery['filters']
/** The rows that were found, and the work of one question: processor time of Postgres, time and pages of 8 KiB. */
export type Answers = { distances: number[][]; cpu: number; ms: number; pages: number }

/** Asks every question through the product's own search. */
export async function askQuestions(
  reader: Reader,
  entry: ResolvedEntry,
  filters: Filters,
  questions: readonly (string | Buffer)[],
): Promise<Answers> {
  const search = createEntrySearch(systemClock)
  const statements = createStatements()
  const settings = searchSettings({ entry, filters })
  const queryOf = (vector: string | Buffer): EntryQuery => ({ entry, filters, vector, limit: K })
  await search(reader, queryOf(questions[0]!))
  const pid = await backendOf(reader, settings)
  const [before, started] = [cpuMs(pid), performance.now()]
  const distances: number[][] = []
  for (const vector of questions) distances.push((await search(reader, queryOf(vector))).map((row) => row.distance))
  const [cpu, ms] = [cpuMs(pid) - before, performance.now() - started].map((sum) => sum / questions.length)
  const build = entry.index === null ? statements.exact : statements.byIndex
  const explained = questions.slice(0, EXPLAINED)
  let pages = 0
  for (const vector of explained) pages += await buffersOf(reader, build(queryOf(vector)), settings)
  return { distances, cpu: cpu!, ms: ms!, pages: pages / explained.length }
}

export type Recall = { mean: number; belowHalf: number }

export function recallOf(answers: Answers, exact: Answers): Recall {
  const shares = answers.distances.map((found, i) => shareOf(found, exact.distances[i]!))
  return {
    mean: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    belowHalf: shares.filter((share) => share < 0.5).length / shares.length,
  }
}

/** Rows at the same distance are equally good, so answers are compared by the distance of the last expected row. */
function shareOf(found: readonly number[], expected: readonly number[]): number {
  if (expected.length === 0) return 1
  const last = expected.at(-1)! + DISTANCE_TOLERANCE
  return found.filter((distance) => distance <= last).length / expected.length
}

export function resultLine(label: string, answers: Answers, recall?: Recall): string {
  const { cpu, ms, pages } = answers
  const found = recall
    ? `${recall.mean.toFixed(4)}  below half ${(100 * recall.belowHalf).toFixed(1).padStart(4)} %`
    : ''
  const cost = `${cpu.toFixed(2).padStart(6)} ms CPU ${ms.toFixed(2).padStart(7)} ms ${pages.toFixed(0).padStart(6)} pages`
  return `  ${label.padEnd(36)} ${found.padEnd(26)} ${cost}`
}

/** Measures the index as the worker does. Returns the entry as questions then search it. */
export async function measureEntry(reader: Reader, entry: ResolvedEntry, tableRows: number): Promise<ResolvedEntry> {
  const started = performance.now()
  const choice = await measureInPeace(reader, entry, tableRows)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (!choice) throw new Error('the index could not be measured')
  const { method, effort, index_recall, reason } = choice
  console.log(
    `  measured in ${seconds} s: ${effort ?? 'exact'} (${reason}, the index found ${index_recall.toFixed(4)} of points between rows)`,
  )
  return method === 'exact' ? { ...entry, index: null } : { ...entry, effort: effort! }
}

const ATTEMPTS = 60

/** Measures again, as the worker does, while Postgres itself vacuums or analyses the table that was just filled. */
async function measureInPeace(reader: Reader, entry: ResolvedEntry, tableRows: number) {
  for (let attempt = 1; ; attempt++) {
    try {
      // The worker stops after 60 s of database time, which a busy machine may need for what takes 10 s elsewhere.
      return await measureIndex({ db: reader, entry, tableRows, permit: () => undefined, budgetMs: 900_000 })
    } catch (error) {
      if (!(error instanceof MeasuringStopped && error.reason === 'busy') || attempt === ATTEMPTS) throw error
      await setTimeout(1_000)
    }
  }
}
