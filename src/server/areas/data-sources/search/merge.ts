import type { Relevance } from '#contract/data-sources/relevance.ts'
import type { Calibration } from './calibration.ts'
import type { ResolvedEntry } from './entry.ts'
import { METRICS } from './metrics.ts'
import type { FoundRow } from './statements.ts'

type Ranked = Pick<ResolvedEntry, 'model' | 'metric'>

/** The rows that the search of one entry found, nearest first. */
export type FoundRows<Entry extends Ranked = ResolvedEntry> = {
  readonly entry: Entry
  readonly rows: readonly FoundRow[]
  /** Meaning of the scores of the entry. Undefined: nothing is said about them. */
  readonly calibration?: Calibration | undefined
}
export type RankedRow<Entry extends Ranked = ResolvedEntry> = {
  readonly entry: Entry
  readonly row: FoundRow
  readonly relevance?: Relevance
}

const RANK_CONSTANT = 60

/**
 * Merges the rows of several entries into one ranking. Scores of the same model and metric compare; others do not, so
 * there the ranks count (reciprocal rank fusion). Ties go by the configured order of the entries and then by the order
 * within an entry, where equal distances are in the order of their ids.
 */
export function mergeRows<Entry extends Ranked>(found: readonly FoundRows<Entry>[], limit: number): RankedRow<Entry>[] {
  const [first, second] = found
  // The rows of a single entry are in their order already.
  if (first && !second) return first.rows.slice(0, limit).map((row) => ({ entry: first.entry, row }))
  const isComparable = new Set(found.map(({ entry }) => `${entry.model} ${entry.metric}`)).size <= 1
  const ranked = found.flatMap(({ entry, rows }, order) =>
    rows.map((row, place) => {
      const weight = isComparable ? METRICS[entry.metric].scoreOf(row.distance) : 1 / (RANK_CONSTANT + place + 1)
      return { entry, row, weight, order }
    }),
  )
  ranked.sort((a, b) => b.weight - a.weight || a.order - b.order)
  return ranked.slice(0, limit)
}
