import { ServiceError } from '#contract/core/errors.ts'
import type { Hit } from '../answer/truncate.ts'
import { fromText, readTypes, toPlainText } from '../answer/values.ts'
import { wordless } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Filter, Scalar } from './filters.ts'
import { scoreOf } from './merge.ts'
import type { Reader, ReadsOn } from './reader.ts'
import { isFilteredByPolicy, policyStatement } from './row-security.ts'
import { createPlans } from './selectivity.ts'
import {
  castStatement,
  estimateStatement,
  exactStatement,
  indexStatement,
  type Question,
  searchSettings,
  sizeStatement,
} from './statements.ts'

/** Looking at so many rows of 384 dimensions takes 0.8 of the time of the index, at twice as many 1.4. */
const EXACT_ROWS = 2_000
/**
 * An exact search misses nothing, so it is used up to 5 %, and up to 6 % because estimates are off. Of 100,000 rows
 * without an index on the filter, the vector index took 0.5 of the time of an exact search at 5 % and found 0.995 of the
 * right rows; it took 1.4 of that time at 2 %, and 2.5 at 1 %.
 */
const EXACT_SHARE = 0.06

type Row = Record<string, string | null> & { types: string; distance: number }

/** Entries whose ids have a type that Postgres cannot order, such as json; found out by the error of a statement. */
const withoutIdOrder = new WeakSet<ResolvedEntry>()

/** All hits there are, up to the limit, nearest first, equal ones in the order of their ids. */
export async function searchEntry(db: Reader, question: Question): Promise<Hit[]> {
  const { entry } = question
  const ordersIdsAsText = question.ordersIdsAsText ?? withoutIdOrder.has(entry)
  try {
    const rows = await db.reads(async (on) => {
      const found = await search(on, { ...question, ordersIdsAsText }, db)
      if (found.length === 0 && entry.row_security) await requirePolicy(on, entry)
      return found
    }, searchSettings(question))
    const types = readTypes(rows[0]?.types ?? '{}')
    return rows.map((row) => toHit(row, types, entry))
  } catch (error) {
    if (cannotMatch(error)) return searchFitting(db, question)
    if (lacksFunction(error) && !ordersIdsAsText) return searchInTextOrder(db, question)
    throw changedSince(error) ?? wordless(error)
  }
}

async function requirePolicy(on: ReadsOn, entry: ResolvedEntry): Promise<void> {
  const [row] = await on.query<{ visible: boolean }>(policyStatement(entry))
  if (!row!.visible) throw sourceChanged('The last row-level security policy that showed rows was dropped')
}

async function searchInTextOrder(db: Reader, question: Question): Promise<Hit[]> {
  const hits = await searchEntry(db, { ...question, ordersIdsAsText: true })
  withoutIdOrder.add(question.entry)
  return hits
}

/** Searches with those filter values that fit the type of their column; the others match no row. */
async function searchFitting(db: Reader, question: Question): Promise<Hit[]> {
  if (question.filters.every(({ values }) => values.length === 1)) return []
  const filters: Filter[] = []
  for (const filter of question.filters) {
    const fitting = await fittingValues(db, question, filter)
    if (fitting.values.length === 0) return []
    filters.push(fitting)
  }
  const isSame = filters.every(({ values }, i) => values.length === question.filters[i]!.values.length)
  return isSame ? [] : searchEntry(db, { ...question, filters })
}

/** Tries one value after the other, so that a list of a hundred does not take every connection from other questions. */
async function fittingValues(db: Reader, { entry, filters }: Question, { column, values }: Filter): Promise<Filter> {
  const fits = async (value: Scalar): Promise<boolean> => {
    try {
      await db.reads((on) => on.query(castStatement(entry, column, value)), searchSettings({ entry, filters }))
      return true
    } catch (error) {
      if (cannotMatch(error)) return false
      throw changedSince(error) ?? wordless(error)
    }
  }
  const fitting: Scalar[] = []
  for (const value of values) if (await fits(value)) fitting.push(value)
  return { column, values: fitting }
}

/** Runs every statement that a question of this entry may run, for no hits: no row is read. */
export async function rehearseSearch(db: Reader, entry: ResolvedEntry): Promise<void> {
  try {
    await rehearse(db, entry, false)
  } catch (error) {
    if (!lacksFunction(error)) throw error
    await rehearse(db, entry, true)
  }
}

async function rehearse(db: Reader, entry: ResolvedEntry, ordersIdsAsText: boolean): Promise<void> {
  const filters = Object.keys(entry.filters).map((column) => ({ column, values: [] }))
  const vector = `[${Array(entry.dimensions).fill(0).join(',')}]`
  const question = { entry, filters, vector, limit: 0, ordersIdsAsText }
  const byIndex =
    entry.index === null ? [] : [sizeStatement(entry), estimateStatement(question), indexStatement(question)]
  await db.reads(async (on) => {
    for (const statement of [...byIndex, exactStatement(question)]) await on.query(statement)
  }, searchSettings(question))
}

const isSelective = createPlans()

/** The commonest question, answered by an index and without a filter, takes one statement. */
async function search(on: ReadsOn, question: Question, db: Reader): Promise<Row[]> {
  const { entry, filters, limit } = question
  const exact = () => on.query<Row>(exactStatement(question))
  if (entry.index === null) return exact()
  if (filters.length > 0 && (await isSelective(db, question, () => estimate(on, question)))) return exact()
  const rows = await on.query<Row>(indexStatement(question))
  return rows.length < limit ? exact() : rows
}

async function estimate(on: ReadsOn, question: Question): Promise<boolean> {
  const [size] = await on.query<{ rows: number }>(sizeStatement(question.entry))
  const [plan] = await on.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(estimateStatement(question))
  return goesExact(plan!['QUERY PLAN'][0].Plan['Plan Rows'], size?.rows ?? 0)
}

export function goesExact(expected: number, rows: number): boolean {
  return expected <= Math.max(EXACT_ROWS, rows * EXACT_SHARE)
}

function toHit(row: Row, types: readonly number[], { content, label, metric }: ResolvedEntry): Hit {
  const rest = content.slice(2).map(({ name }, i) => [name, fromText(row[`c${i + 2}`]!, types[i + 2]!)])
  return {
    id: toPlainText(row.c0!, types[0]!) ?? '',
    title: content.length > 1 ? toPlainText(row.c1!, types[1]!) : null,
    metadata: { ...(Object.fromEntries(rest) as object), _score: scoreOf(metric, row.distance), _target: label },
  }
}

/**
 * https://www.postgresql.org/docs/15/errcodes-appendix.html: no such table or column, not granted, other type or size;
 * 26000 where the embedded engine could not prepare again a statement it knew.
 */
const DRIFT = new Set(['42P01', '42703', '42501', '42883', '42804', '22000', '3F000', '42704', '0A000', '26000'])

/** A filter value that the type of its column cannot hold, such as a word for a uuid, is in no row. */
function cannotMatch(error: unknown): boolean {
  const code = codeOf(error)
  return code === '22P02' || code === '22003'
}

/** 42883: no such function or operator, also where a type has no order. */
function lacksFunction(error: unknown): boolean {
  return codeOf(error) === '42883'
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Undefined for other errors. The database's own words are dropped: they can name columns that were never offered. */
function changedSince(error: unknown): ServiceError | undefined {
  if (!DRIFT.has(codeOf(error) ?? '')) return undefined
  const what = isFilteredByPolicy(error) ? 'Row-level security was switched on' : 'The database changed'
  return sourceChanged(what, wordless(error))
}

function sourceChanged(what: string, cause?: unknown): ServiceError {
  const message = `${what} after this data source was configured. Save its search configuration again.`
  return new ServiceError('SOURCE_CHANGED', message, { cause })
}
