import type { Hit } from '../answer/truncate.ts'
import type { ResolvedEntry } from './entry.ts'

type Metric = ResolvedEntry['metric']

/** Higher is better, whatever the metric. pgvector's `<#>` is the negative inner product. */
export function scoreOf(metric: Metric, distance: number): number {
  if (metric === 'cosine') return 1 - distance
  return metric === 'inner_product' ? -distance : 1 / (1 + distance)
}

export type Found = { entry: Pick<ResolvedEntry, 'label' | 'model' | 'metric'>; hits: readonly Hit[] }

const RANK_CONSTANT = 60

/**
 * Merges the hits of several entries, each in its own order, into one ranking. Scores of the same model and metric
 * compare; others do not, so there the ranks count (reciprocal rank fusion). Ties go by the configured order of the
 * entries and then by the order within an entry, where equal distances are in the order of their ids.
 */
export function mergeHits(found: readonly Found[], limit: number): Hit[] {
  const comparable = new Set(found.map(({ entry }) => `${entry.model} ${entry.metric}`)).size <= 1
  const ranked = found.flatMap(({ hits }, order) =>
    hits.map((hit, place) => {
      const weight = comparable ? (hit.metadata._score as number) : 1 / (RANK_CONSTANT + place + 1)
      return { hit, weight, order }
    }),
  )
  ranked.sort((a, b) => b.weight - a.weight || a.order - b.order)
  return ranked.slice(0, limit).map(({ hit }) => hit)
}
