import { z } from 'zod'
import type { Calibration } from './calibration.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Indexes } from './indexes.ts'

/** How an index is searched from now on. `recall` is the mean of the kind of question that found least. */
export const SearchChoice = z.object({
  method: z.enum(['index', 'exact']),
  effort: z.number().nullable().describe('Null for an exact search'),
  recall: z.number(),
  index_recall: z.number().describe('What the index found, also where the search is exact'),
  questions: z.number(),
  reason: z.enum(['recall_reached', 'exact_is_cheaper', 'index_misses_rows', 'exact_is_too_slow']),
})
export type SearchChoice = z.output<typeof SearchChoice>

/** Results of measuring an entry. */
export type Measurements = {
  /** How its index is searched. Undefined: the default holds. */
  readonly choice?: SearchChoice | undefined
  /** Meaning of its scores. Undefined: nothing is said about them. */
  readonly calibration?: Calibration | undefined
}

export type FindMeasured = (
  sourceId: string,
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
) => Promise<Measurements>

/** Where measuring is switched off: every index is searched with the default, and answers say nothing of relevance. */
export const withoutMeasuring: FindMeasured = async () => ({})
