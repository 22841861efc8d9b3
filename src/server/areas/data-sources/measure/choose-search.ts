import type { SearchChoice } from '../search/choice.ts'

/** The part of the exact answers that an index found at one effort: `ef_search` of HNSW, `probes` of IVFFlat. */
export type Measurement = {
  readonly effort: number
  /** Share of the exact answer that each question found, for each kind of question apart. */
  readonly recalls: readonly (readonly number[])[]
  /** Median time of a question. */
  readonly ms: number
}

const MIN_RECALL = 0.99
/** Share of questions of a kind that may find less than half of their rows. */
const MAX_POOR_SHARE = 0.005
const ROUNDING = 1e-9
/** An exact search that takes longer than this would stop a source that several people ask at once. */
const MAX_EXACT_MS = 1_000

/**
 * Chooses the smallest effort at which every kind of question finds enough, and an exact search where that is cheaper or
 * where no effort suffices. A table too large for that keeps its index at the largest effort. Measurements are in the
 * order of their efforts.
 */
export function chooseSearch(exactMs: number, measurements: readonly Measurement[]): SearchChoice | undefined {
  const best = measurements.find(isSufficient) ?? measurements.at(-1)
  if (!best) return undefined
  const questions = best.recalls.reduce((sum, { length }) => sum + length, 0)
  const index_recall = recallOf(best)
  const byIndex = { method: 'index', effort: best.effort, recall: index_recall, index_recall, questions } as const
  const exact = { method: 'exact', effort: null, recall: 1, index_recall, questions } as const
  if (exactMs <= best.ms) return { ...exact, reason: 'exact_is_cheaper' }
  if (isSufficient(best)) return { ...byIndex, reason: 'recall_reached' }
  if (exactMs <= MAX_EXACT_MS) return { ...exact, reason: 'index_misses_rows' }
  return { ...byIndex, reason: 'exact_is_too_slow' }
}

export function isSufficient({ recalls }: Measurement): boolean {
  return recalls.every((kind) => !isTooPoor(kind, kind.length) && surelyFound(kind) >= MIN_RECALL - ROUNDING)
}

/**
 * The mean less its standard error. A mean of a few hundred questions that is just enough is, for other questions of the
 * same kind, as often too little.
 */
function surelyFound(recalls: readonly number[]): number {
  const mean = meanOf(recalls)
  const variance = recalls.reduce((sum, recall) => sum + (recall - mean) ** 2, 0) / recalls.length
  return mean - Math.sqrt(variance / recalls.length)
}

/** Whether these questions already show that the effort does not suffice, whatever the rest of `asked` would find. */
export function isTooPoor(recalls: readonly number[], asked: number): boolean {
  const missed = recalls.reduce((sum, recall) => sum + (1 - recall), 0)
  const poor = recalls.filter((recall) => recall < 0.5).length
  return missed > (1 - MIN_RECALL) * asked + ROUNDING || poor > MAX_POOR_SHARE * asked
}

function recallOf({ recalls }: Measurement): number {
  return Math.min(...recalls.map(meanOf))
}

function meanOf(recalls: readonly number[]): number {
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length
}
