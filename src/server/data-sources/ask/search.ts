import { ServiceError } from '#contract/errors.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'
import type { Hit } from '../truncate.ts'
import { nearest, type Reader } from './nearest.ts'
import { createPlans } from './plans.ts'
import { scoreOf } from './rank.ts'
import {
  estimateStatement,
  exactStatement,
  indexStatement,
  probeSettings,
  type Question,
  searchSettings,
  sizeStatement,
} from './statement.ts'
import { fromText } from './values.ts'
import { wordless } from './wordless.ts'

/** Looking at so many rows of 384 takes 0.8 of the time of the index, at twice as many 1.4, and misses nothing. */
const EXACT_ROWS = 2_000
/**
 * Where we pay for certainty. Of 100,000 rows without an index on the filter, the vector index took 0.5 of the time of
 * an exact search at 5 % and found 0.995 of the right rows; 1.4 of it at 2 %, 2.5 at 1 %.
 */
const EXACT_SHARE = 0.05
const QUESTION_MS = 10_000

type Row = Record<string, string | null> & { distance: number }

/** All hits there are, up to the limit, nearest first; as a reader who may read and nothing else. */
export async function searchEntry(db: Reader, question: Question): Promise<Hit[]> {
  try {
    const rows =
      (await nearest<Row>(db, question)) ??
      (await db.tx((tx) => search(tx, question, db), { readOnly: true, timeoutMs: QUESTION_MS }))
    return rows.map((row) => toHit(row, question.entry))
  } catch (error) {
    if (cannotMatch(error)) return []
    throw changedSince(error) ?? wordless(error)
  }
}

/** Every statement a question of this entry may run, for no hits: no row is read. */
export async function rehearseSearch(db: Pick<Db, 'tx'>, entry: ResolvedEntry): Promise<void> {
  const filters = Object.keys(entry.filters).map((column) => ({ column, values: [] }))
  const question = { entry, filters, vector: `[${Array(entry.dimensions).fill(0).join(',')}]`, limit: 0 }
  const { index } = entry
  const byIndex =
    index === null
      ? []
      : [sizeStatement(entry), estimateStatement(question), settingsFor(question, index), indexStatement(question)]
  await db.tx(
    async (tx) => {
      for (const statement of [...byIndex, exactStatement(question)]) await tx.query(statement)
    },
    { readOnly: true, timeoutMs: QUESTION_MS },
  )
}

const isSelective = createPlans()

async function search(tx: Tx, question: Question, db: Reader): Promise<Row[]> {
  const { entry, filters, limit } = question
  const exact = () => tx.query<Row>(exactStatement(question))
  if (entry.index === null) return exact()
  if (filters.length > 0 && (await isSelective(db, question, () => estimate(tx, question)))) return exact()
  await tx.query(settingsFor(question, entry.index))
  const rows = await tx.query<Row>(indexStatement(question))
  return rows.length < limit ? exact() : rows
}

function settingsFor({ entry, filters }: Question, index: 'hnsw' | 'ivfflat'): Sql {
  return index === 'hnsw' ? searchSettings(index, { filtered: filters.length > 0 }) : probeSettings(entry)
}

async function estimate(tx: Tx, question: Question): Promise<boolean> {
  const [size] = await tx.query<{ rows: number }>(sizeStatement(question.entry))
  const [plan] = await tx.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(estimateStatement(question))
  return goesExact(plan!['QUERY PLAN'][0].Plan['Plan Rows'], size?.rows ?? 0)
}

export function goesExact(expected: number, rows: number): boolean {
  return expected <= Math.max(EXACT_ROWS, rows * EXACT_SHARE)
}

function toHit(row: Row, { content, label, metric }: ResolvedEntry): Hit {
  const rest = content.slice(2).map(({ name, type }, i) => [name, fromText(row[`c${i + 2}`]!, type)])
  return {
    id: row.c0 ?? '',
    title: content.length > 1 ? row.c1! : null,
    metadata: { ...(Object.fromEntries(rest) as object), _score: scoreOf(metric, row.distance), _target: label },
  }
}

/**
 * https://www.postgresql.org/docs/15/errcodes-appendix.html: no such table or column, not granted, other type or size;
 * 26000 where the embedded engine could not prepare again a statement it knew.
 */
const DRIFT = new Set(['42P01', '42703', '42501', '42883', '42804', '22000', '3F000', '42704', '0A000', '26000'])

/** A filter value that its column's type cannot hold, such as a word for a uuid: no row has it. */
function cannotMatch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22P02' || error.code === '22003')
}

/** What the database says would name what was not offered. */
function changedSince(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !DRIFT.has(String(error.code))) return undefined
  return new ServiceError(
    'SOURCE_CHANGED',
    'the database changed since this data source was configured: its search configuration must be saved again',
    { cause: wordless(error) },
  )
}
