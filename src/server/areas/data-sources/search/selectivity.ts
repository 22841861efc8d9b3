import { randomBytes } from 'node:crypto'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'
import { type BoundedCache, createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { ReadsOn } from './reader.ts'
import { type EntryQuery, type Statements, sizeStatement } from './statements.ts'

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

/** Asks the planner how many rows the filters of the query leave. */
export async function estimateSelective(on: ReadsOn, query: EntryQuery, statements: Statements): Promise<boolean> {
  const [size] = await on.query<{ rows: number }>(sizeStatement(query.entry))
  const [plan] = await on.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(statements.estimate(query))
  return isSelective(plan!['QUERY PLAN'][0].Plan['Plan Rows'], size?.rows ?? 0)
}

/**
 * Remembers decisions for a minute per database: asking the planner again took 7 to 13 % of the processor time of a
 * filtered question over 10,000 rows. The filter values are part of the key, which is therefore a digest under a secret
 * that never leaves this process.
 */
export function createSelectivity(clock: Clock) {
  const hmac = createHmacSha256(randomBytes(32))
  const byDatabase = new WeakMap<object, BoundedCache<string, boolean>>()
  const cacheOf = (db: object) => {
    const limits = { max: MAX_CACHED_DECISIONS, ttl: { ms: TTL_MS, clock } }
    const cache = byDatabase.get(db) ?? createBoundedCache<string, boolean>(limits)
    byDatabase.set(db, cache)
    return cache
  }
  const keyOf = ({ entry, filters }: EntryQuery) =>
    hmac(JSON.stringify([entry.oid, entry.schema, entry.table, entry.index, filters])).toString('base64')

  return async (db: object, query: EntryQuery, decide: () => Promise<boolean>): Promise<boolean> => {
    const cache = cacheOf(db)
    const key = keyOf(query)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const decision = await decide()
    cache.set(key, decision)
    return decision
  }
}
