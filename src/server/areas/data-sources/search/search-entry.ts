import type { Clock } from '#lib/time/clock.ts'
import { isValueMisfit, lacksFunction, searchError, sourceChanged } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Filter } from './filter-operators.ts'
import type { Scalar } from './filter-types.ts'
import type { Reader, ReadsOn } from './reader.ts'
import { policyStatement } from './row-security.ts'
import { createSelectivity, estimateSelective } from './selectivity.ts'
import { searchSettings } from './settings.ts'
import { castStatement, createStatements, type EntryQuery, type FoundRow } from './statements.ts'

/** Finds all rows there are, up to the limit, nearest first, equally near ones in the order of their ids. */
export type SearchEntry = (db: Reader, query: EntryQuery) => Promise<readonly FoundRow[]>

export function createEntrySearch(clock: Clock): SearchEntry {
  const statements = createStatements()
  const decideOnce = createSelectivity(clock)
  /** Entries whose ids have a type that Postgres cannot order, such as json. The error of a statement shows it. */
  const withoutIdOrder = new WeakSet<ResolvedEntry>()

  const search: SearchEntry = async (db, query) => {
    const ordersIdsAsText = query.ordersIdsAsText ?? withoutIdOrder.has(query.entry)
    const ordered = ordersIdsAsText ? { ...query, ordersIdsAsText } : query
    try {
      return await db.reads((on) => read(on, ordered, db), searchSettings(query))
    } catch (error) {
      if (isValueMisfit(error)) return searchFitting(db, query)
      if (lacksFunction(error) && !ordersIdsAsText) return searchInTextOrder(db, query)
      throw searchError(error)
    }
  }

  const read = async (on: ReadsOn, query: EntryQuery, db: Reader): Promise<FoundRow[]> => {
    const rows = await nearest(on, query, db)
    if (rows.length === 0 && query.entry.row_security) await requirePolicy(on, query.entry)
    return rows
  }

  /** The most common question, answered by an index and without a filter, takes one statement. */
  const nearest = async (on: ReadsOn, query: EntryQuery, db: Reader): Promise<FoundRow[]> => {
    const { entry, filters, limit } = query
    const exact = () => on.query<FoundRow>(statements.exact(query))
    if (entry.index === null) return exact()
    const decide = () => estimateSelective(on, query, statements)
    if (filters.length > 0 && (await decideOnce(db, query, decide))) return exact()
    const rows = await on.query<FoundRow>(statements.byIndex(query))
    return rows.length < limit ? exact() : rows
  }

  const searchInTextOrder: SearchEntry = async (db, query) => {
    const rows = await search(db, { ...query, ordersIdsAsText: true })
    withoutIdOrder.add(query.entry)
    return rows
  }

  /** Searches with those filter values that fit the type of their column; the others match no row. */
  const searchFitting: SearchEntry = async (db, query) => {
    if (query.filters.every(({ values }) => values.length === 1)) return []
    const filters: Filter[] = []
    for (const filter of query.filters) {
      const values = await fittingValues(db, query, filter)
      if (values.length === 0) return []
      filters.push({ ...filter, values })
    }
    const isSame = filters.every(({ values }, i) => values.length === query.filters[i]!.values.length)
    return isSame ? [] : search(db, { ...query, filters })
  }

  return search
}

async function requirePolicy(on: ReadsOn, entry: ResolvedEntry): Promise<void> {
  const [row] = await on.query<{ visible: boolean }>(policyStatement(entry))
  if (!row!.visible) throw sourceChanged('The last row-level security policy that showed rows was dropped')
}

/** Tries one value after the other, so that a list of a hundred does not take every connection from other questions. */
async function fittingValues(db: Reader, query: EntryQuery, { column, values }: Filter): Promise<Scalar[]> {
  const fitting: Scalar[] = []
  for (const value of values) if (await fits(db, query, column, value)) fitting.push(value)
  return fitting
}

async function fits(db: Reader, query: EntryQuery, column: string, value: Scalar): Promise<boolean> {
  try {
    await db.reads((on) => on.query(castStatement(query.entry, column, value)), searchSettings(query))
    return true
  } catch (error) {
    if (isValueMisfit(error)) return false
    throw searchError(error)
  }
}
