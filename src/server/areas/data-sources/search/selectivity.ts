import { randomBytes } from 'node:crypto'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'
import { type BoundedCache, createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { ReadsOn } from './reader.ts'
import { type EntryQuery, fullSizeStatement, type Statements, sizeStatement } from './statements.ts'

const TTL_MS = 60_000
const MAX_CACHED_DECISIONS = 1_000

/** Reading so many rows of 384 dimensions takes 0.8 of the time of the index, at twice as many 1.4. */
const EXACT_ROWS = 2_000
/**
 * An exact search misses nothing, so it is used up to 5 %, and up to 6 % because estimates are off. Of 100,000 rows
 * without an index on the filter, the vector index took 0.5 of the time of an exact search at 5 % and found 0.995 of the
 * right rows; it took 1.4 of that time at 2 %, and 2.5 at 1 %.
 */
const EXACT_SHARE = 0.06

/** Whether so few rows pass the filters that reading all of them is better than the vector index. */
export function isSelective(expectedRows: number, tableRows: number): boolean {
  return expectedRows <= Math.max(EXACT_ROWS, tableRows * EXACT_SHARE)
}

/** How many rows the filters and the policies leave: so few that all are read, some, or at least half of them. */
export type Selectivity = 'few' | 'some' | 'most'

/** Asks the planner how many rows the filters of the query leave, and for a person counts a sample. */
export async function estimateSelectivity(
  on: ReadsOn,
  query: EntryQuery,
  statements: Statements,
): Promise<Selectivity> {
  if (query.person) return sampleSelectivity(on, query, statements)
  const [size] = await on.query<{ rows: number }>(sizeStatement(query.entry))
  const [plan] = await on.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(statements.estimate(query))
  return isSelective(plan!['QUERY PLAN'][0].Plan['Plan Rows'], size?.rows ?? 0) ? 'few' : 'some'
}

/** Enough to tell 6 % of the rows from less, and read in about 2 ms. */
const SAMPLED_ROWS = 2_500
const MAJORITY_SHARE = 0.5

/** Counts rows, because the planner does not know what a policy with a function or a subquery leaves. */
export async function sampleSelectivity(on: ReadsOn, query: EntryQuery, statements: Statements): Promise<Selectivity> {
  const [size] = await on.query<{ rows: number }>(fullSizeStatement(query.entry))
  const tableRows = size?.rows ?? 0
  const share = tableRows > SAMPLED_ROWS ? SAMPLED_ROWS / tableRows : 1
  // A table whose size is unknown may be large, so counting ends when it is too large for an exact search.
  const limit = share < 1 ? 2 * SAMPLED_ROWS : SAMPLED_ROWS
  const [sampled] = await on.query<{ rows: number }>(statements.sampled(query, { percent: 100 * share, limit }))
  const expectedRows = sampled!.rows / share
  if (isSelective(expectedRows, tableRows)) return 'few'
  return tableRows > 0 && expectedRows >= MAJORITY_SHARE * tableRows ? 'most' : 'some'
}

/**
 * Remembers decisions for a minute per database: asking the planner again took 7 to 13 % of the processor time of a
 * filtered question over 10,000 rows. The filter values and the person are part of the key, which is therefore a digest
 * under a secret that never leaves this process.
 */
export function createSelectivity(clock: Clock) {
  const hmac = createHmacSha256(randomBytes(32))
  const byDatabase = new WeakMap<object, BoundedCache<string, Selectivity>>()
  const cacheOf = (db: object) => {
    const limits = { max: MAX_CACHED_DECISIONS, ttl: { ms: TTL_MS, clock } }
    const cache = byDatabase.get(db) ?? createBoundedCache<string, Selectivity>(limits)
    byDatabase.set(db, cache)
    return cache
  }
  const keyOf = ({ entry, filters, person }: EntryQuery) =>
    hmac(JSON.stringify([entry.oid, entry.schema, entry.table, entry.index, filters, person])).toString('base64')

  return async (db: object, query: EntryQuery, decide: () => Promise<Selectivity>): Promise<Selectivity> => {
    const cache = cacheOf(db)
    const key = keyOf(query)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const decision = await decide()
    cache.set(key, decision)
    return decision
  }
}
