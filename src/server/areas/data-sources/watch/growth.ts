import type { Seen } from './checks.ts'

type Growing = {
  /** Rows when the index was measured. */
  readonly measured: number
  /** Rows as Postgres counted last, -1 before the first time. */
  readonly counted: number
  /** Rows that were seen in `percent` of `pages` pages. */
  readonly seen: number
  readonly percent: number
  readonly pages: number
}

const GROWTH = 1.1

/**
 * Whether a table has more than a tenth more rows than when its index was measured. The last count of Postgres can be
 * old and an estimate from sampled pages is uncertain, so neither may contradict the other.
 */
export function growth({ measured, counted, seen, percent, pages }: Growing): Seen {
  const estimate = seen / (percent / 100)
  const error = percent >= 100 ? 0 : 3 / Math.sqrt(Math.max(1, (pages * percent) / 100))
  const limit = GROWTH * measured
  const hasGrown = estimate * (1 + error) > limit && (counted > limit || estimate * (1 - error) > limit)
  const rows = Math.round(counted > limit && percent < 100 ? counted : estimate)
  return { seen: hasGrown && measured > 0 ? Math.max(1, rows - Math.round(measured)) : 0, of: rows }
}
