import { DEFAULT_ERROR_RATE } from '#contract/data-sources/relevance.ts'
import { type Calibration, unknown } from '../search/calibration.ts'
import { METRICS } from '../search/metrics.ts'
import { createStatements, type EntryQuery } from '../search/statements.ts'
import { bindVector } from '../search/vector.ts'
import { calibrate, MIN_QUESTIONS } from './calibrate.ts'
import { distanceBetween } from './distance.ts'
import { orInTextOrder } from './in-text-order.ts'
import { makeNearQuestions, type NearQuestion } from './near-questions.ts'
import { readRows, type SampledRow } from './read-rows.ts'
import { createRunner, type Measured, MeasuringStopped, type Run } from './runner.ts'
import { distancesOf } from './statements.ts'

/** Embeds texts with the model. They may be made from rows, so they are neither cached nor logged. */
export type EmbedRows = (content: {
  org_id: string
  model: string
  texts: readonly string[]
  signal: AbortSignal
}) => Promise<readonly Float32Array[]>

type MeasuringScores = Measured & {
  readonly tableRows: number
  /** Embeds questions that were made from rows, with the model of the entry. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>
  /** The vectors of the general questions. */
  readonly foreign: () => Promise<readonly Float32Array[]>
  readonly random?: () => number
}

const NEAR_QUESTIONS = 400
/** Fewer rows with different text are too few for questions that differ. */
const MIN_ROWS = 30
/** Texts that are embedded at once, so that questions of people get their turn. */
const BATCH = 16

/**
 * Learns how the scores of a table tell questions that its rows answer from others. Returns `unknown` where they do not,
 * and where there are too few rows. The time of all statements together is bounded. Statements come first, because a
 * table in use stops them and is tried again soon: what was embedded of its rows would be embedded, and paid, again.
 */
export async function measureScores(measuring: MeasuringScores): Promise<Calibration> {
  const run = createRunner(measuring)
  const rows = await readRows(run, measuring)
  if (rows.length < MIN_ROWS) return unknown('too_few')
  const texts = rows.map(({ text }) => text)
  const questions = makeNearQuestions(texts, NEAR_QUESTIONS, measuring.random ?? Math.random)
  if (questions.length < MIN_QUESTIONS) return unknown('too_few')
  const foreign = await orInTextOrder((ordersIdsAsText) => foreignScores(run, measuring, ordersIdsAsText))
  if (foreign.length < MIN_QUESTIONS) return unknown('too_large')
  const near = await nearScores(measuring, rows, questions)
  return calibrate({ near, foreign, errorRate: measuring.entry.error_rate ?? DEFAULT_ERROR_RATE })
}

/**
 * The score of each question with its own row only. Another row may be nearer, but what is learned then holds for a part
 * of the table too, such as the rows that a filter leaves.
 */
async function nearScores(
  { entry: { metric }, embed, permit }: MeasuringScores,
  rows: readonly SampledRow[],
  questions: readonly NearQuestion[],
): Promise<number[]> {
  const scores: number[] = []
  for (let from = 0; from < questions.length; from += BATCH) {
    await permit()
    const part = questions.slice(from, from + BATCH)
    const vectors = await embed(part.map(({ text }) => text))
    for (const [i, { row }] of part.entries()) {
      const distance = distanceBetween(metric, vectors[i]!, rows[row]!.vector)
      scores.push(METRICS[metric].scoreOf(distance))
    }
  }
  return scores.filter(Number.isFinite)
}

/** The best score of each general question, as a question of a person would find it. */
async function foreignScores(
  run: Run,
  { entry, foreign }: MeasuringScores,
  ordersIdsAsText: boolean,
): Promise<number[]> {
  const statements = createStatements()
  const build = entry.index === null ? statements.exact : statements.byIndex
  const scores: number[] = []
  for (const vector of await foreign()) {
    const query: EntryQuery = {
      entry,
      vector: bindVector(vector, entry.vector_type),
      filters: [],
      limit: 1,
      ordersIdsAsText,
    }
    const answer = await run<{ distance: number }>(entry, distancesOf(build(query))).catch(untilTooLarge)
    if (!answer) break
    for (const { distance } of answer.rows) scores.push(METRICS[entry.metric].scoreOf(distance))
  }
  return scores
}

/** A large table is asked as many questions as the time allows. */
function untilTooLarge(error: unknown): undefined {
  if (error instanceof MeasuringStopped && error.reason === 'too_large') return undefined
  throw error
}
