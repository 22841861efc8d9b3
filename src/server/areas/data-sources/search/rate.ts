import { unknown } from './calibration.ts'
import { isRelevant, judge, relevanceOf, type Verdict } from './judge.ts'
import { type FoundRows, mergeRows, type RankedRow } from './merge.ts'
import { METRICS } from './metrics.ts'

/** The rows of an answer, and whether they answer the question. No verdict: nothing is said about relevance. */
export type Ranking = { readonly rows: readonly RankedRow[]; readonly verdict?: Verdict | undefined }

/** Ranks the rows of all entries, says how relevant they are, and leaves out those that a source does not want. */
export function rate(found: readonly FoundRows[], limit: number): Ranking {
  const ranked = mergeRows(found, limit)
  if (found.every(({ calibration }) => calibration === undefined)) return { rows: ranked }
  const calibrations = new Map(found.map(({ entry, calibration }) => [entry, calibration ?? unknown('not_measured')]))
  const rows = ranked.flatMap(({ entry, row }) => {
    const relevance = relevanceOf(METRICS[entry.metric].scoreOf(row.distance), calibrations.get(entry)!)
    const { min_relevance } = entry
    return min_relevance && !isRelevant(relevance, min_relevance) ? [] : [{ entry, row, relevance }]
  })
  const searched = found.map(({ entry, rows: [nearest] }) => ({
    calibration: calibrations.get(entry)!,
    best: nearest && METRICS[entry.metric].scoreOf(nearest.distance),
  }))
  return { rows, verdict: judge(searched) }
}
