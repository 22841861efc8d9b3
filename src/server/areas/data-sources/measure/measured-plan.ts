import type { SourcePlan } from '#contract/data-sources/search-config.ts'
import type { SearchChoice } from '../search/choice.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Indexes } from '../search/indexes.ts'
import { choosePlan, type Plan, withIndexes } from '../search/plan.ts'
import { defaultProbes, EF_SEARCH } from '../search/settings.ts'
import type { StoredMeasurement } from './store.ts'

export type MeasuredPlan = Omit<SourcePlan, 'label' | 'relevance'>

/** The plan that questions use, with the settings of its index and the measurement behind them. */
export function measuredPlan(
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
  measured: StoredMeasurement['measured'] | undefined,
): MeasuredPlan {
  const byCatalogue = choosePlan(entry, indexes)
  const choice = byCatalogue.method === 'exact' ? undefined : (measured?.choice ?? undefined)
  const plan = choice ? planOf(byCatalogue, choice) : byCatalogue
  const searched = withIndexes(entry, indexes, choice)
  return {
    ...plan,
    ef_search: plan.method === 'hnsw' ? (searched.effort ?? EF_SEARCH) : null,
    probes: plan.method === 'ivfflat' ? (searched.effort ?? defaultProbes(searched)) : null,
    measured: choice
      ? { recall: choice.recall, questions: choice.questions, at: measured!.measured_at.toISOString() }
      : null,
  }
}

function planOf(plan: Plan, { reason, index_recall }: SearchChoice): Plan {
  const found = `found ${index_recall.toFixed(3)} of the nearest rows when it was measured`
  switch (reason) {
    case 'recall_reached':
      return plan
    case 'exact_is_too_slow':
      return { ...plan, reason: `the index "${plan.index}" ${found}, and comparing all rows would take too long` }
    case 'index_misses_rows':
      return { method: 'exact', index: null, reason: `the index "${plan.index}" ${found}, which is too few` }
    case 'exact_is_cheaper':
      return { method: 'exact', index: null, reason: `comparing all rows is faster than the index "${plan.index}"` }
    default:
      throw reason satisfies never
  }
}
