import type { Sql } from '#lib/db/sql.ts'
import type { Clock } from '#lib/time/clock.ts'
import { isValueMisfit, lacksFunction, personalSearchError, searchError, sourceChanged } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Filter } from './filter-operators.ts'
import type { Scalar } from './filter-types.ts'
import type { Reader, ReadsOn } from './reader.ts'
import { type PolicyState, policyStatement } from './row-security.ts'
import { createSelectivity, estimateSelectivity } from './selectivity.ts'
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
    requirePerson(query)
    const ordersIdsAsText = query.ordersIdsAsText ?? withoutIdOrder.has(query.entry)
    const ordered = ordersIdsAsText ? { ...query, ordersIdsAsText } : query
    try {
      const session = query.person ? await personalSettings(db, query) : searchSettings(query)
      return await db.reads((on) => read(on, ordered, db), session, query.person)
    } catch (error) {
      if (isValueMisfit(error)) return searchFitting(db, query, error)
      if (lacksFunction(error) && !ordersIdsAsText) return searchInTextOrder(db, query)
      throw query.person ? personalSearchError(error) : searchError(error)
    }
  }

  /** The settings of a connection depend on how many rows the person sees, which is found out before. */
  const personalSettings = async (db: Reader, query: EntryQuery): Promise<Sql> => {
    const settings = searchSettings(query)
    if (query.entry.index === null) return settings
    const estimate = (on: ReadsOn) => estimateSelectivity(on, query, statements)
    const decided = await decideOnce(db, query, () => db.reads(estimate, settings, query.person))
    return searchSettings({ ...query, selectivity: decided })
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
    const decide = () => estimateSelectivity(on, query, statements)
    const mayBeFew = filters.length > 0 || query.person !== undefined
    if (mayBeFew && (await decideOnce(db, query, decide)) === 'few') return exact()
    const rows = await on.query<FoundRow>(statements.byIndex(query))
    return rows.length < limit ? exact() : rows
  }

  const searchInTextOrder: SearchEntry = async (db, query) => {
    const rows = await search(db, { ...query, ordersIdsAsText: true })
    withoutIdOrder.add(query.entry)
    return rows
  }

  /** Searches with those filter values that fit the type of their column; the others match no row. */
  const searchFitting = async (db: Reader, query: EntryQuery, error: unknown): Promise<readonly FoundRow[]> => {
    // A policy may cast a claim of the person, so it is tried whether the filters are at fault.
    if (!query.person && query.filters.every(({ values }) => values.length === 1)) return []
    const filters: Filter[] = []
    for (const filter of query.filters) {
      const values = await fittingValues(db, query, filter)
      if (values.length === 0) return []
      filters.push({ ...filter, values })
    }
    const isSame = filters.every(({ values }, i) => values.length === query.filters[i]!.values.length)
    if (isSame && query.person) throw personalSearchError(error)
    return isSame ? [] : search(db, { ...query, filters })
  }

  return search
}

/** A search without the claims that its policies go by is a fault of the caller, not an answer without rows. */
function requirePerson({ entry, person }: EntryQuery): void {
  if (entry.person_settings && !person) throw new TypeError('the search of a source by person needs a person')
}

async function requirePolicy(on: ReadsOn, entry: ResolvedEntry): Promise<void> {
  const [state] = await on.query<PolicyState>(policyStatement(entry))
  if (entry.person_settings && !state!.active)
    throw sourceChanged('Row-level security was switched off, or stopped to hold for the role of questions,')
  if (state!.active && !state!.has_policy)
    throw sourceChanged('The last row-level security policy that showed rows was dropped')
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
