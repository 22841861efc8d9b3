import { identifier, type Sql, script } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'

type Metric = {
  /** The distance operator of pgvector. */
  readonly operator: string
  /** The operator class that an index needs for it, without the vector type before it. */
  readonly operatorClass: string
  /** Higher is nearer, whatever the metric. */
  readonly scoreOf: (distance: number) => number
}

/** Every metric that can be configured. A new one is a row here and a name in the contract. */
export const METRICS: Readonly<Record<ResolvedEntry['metric'], Metric>> = {
  cosine: { operator: '<=>', operatorClass: 'cosine_ops', scoreOf: (distance) => 1 - distance },
  l2: { operator: '<->', operatorClass: 'l2_ops', scoreOf: (distance) => 1 / (1 + distance) },
  // pgvector's `<#>` is the negative inner product.
  inner_product: { operator: '<#>', operatorClass: 'ip_ops', scoreOf: (distance) => -distance },
}

/** The operator with its schema, because the search path of the reader does not hold the extension's. */
export function distanceOperator({
  extension_schema,
  metric,
}: Pick<ResolvedEntry, 'extension_schema' | 'metric'>): Sql {
  return script(`operator(${identifier(extension_schema).text}.${METRICS[metric].operator})`)
}
