import type { Answerable, ErrorRate, MinRelevance, Relevance } from '#contract/data-sources/relevance.ts'
import type { Calibration } from './calibration.ts'

export function relevanceOf(score: number, calibration: Calibration): Relevance {
  if (calibration.outcome === 'unknown') return 'unknown'
  if (score >= calibration.high) return 'likely'
  return score >= calibration.low ? 'possible' : 'unlikely'
}

const RANKS = { unlikely: 0, possible: 1, likely: 2 } as const

/** A hit whose relevance is not known is never left out. */
export function isRelevant(relevance: Relevance, min: MinRelevance): boolean {
  return relevance === 'unknown' || RANKS[relevance] >= RANKS[min]
}

/** The search of one entry: how its scores are read, and the best of them. Undefined: no row was found. */
type SearchedEntry = { readonly calibration: Calibration; readonly best: number | undefined }
export type Verdict = { readonly answerable: Answerable; readonly answerable_error_rate?: ErrorRate }

/** Judges a question by the best score of each entry. One entry that answers it is enough. */
export function judge(searched: readonly SearchedEntry[]): Verdict {
  const each = searched.map(answerableBy)
  const answerable =
    (['yes', 'unknown', 'unsure', 'no'] as const).find((verdict) => each.includes(verdict)) ?? 'unknown'
  if (answerable === 'unknown') return { answerable }
  const rates = searched.flatMap(({ calibration }) => ('error_rate' in calibration ? calibration.error_rate : []))
  const highest = rates.toSorted((a, b) => b - a)[0]
  return { answerable, ...(highest && { answerable_error_rate: highest }) }
}

/** Where no row was found, none answers: filters left nothing. */
function answerableBy({ calibration, best }: SearchedEntry): Answerable {
  const relevance = relevanceOf(best ?? Number.NEGATIVE_INFINITY, calibration)
  return ({ likely: 'yes', possible: 'unsure', unlikely: 'no', unknown: 'unknown' } as const)[relevance]
}
