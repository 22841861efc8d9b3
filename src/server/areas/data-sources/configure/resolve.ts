import type { EmbeddingConfigInput } from '#contract/data-sources/search-config.ts'
import type { FilterType } from '#contract/data-sources/sources.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { FILTER_TYPES } from '../search/filter-types.ts'
import type { Extension } from './catalogue.ts'
import { isMetric } from './check-entry.ts'
import type { FoundTable } from './check-table.ts'

/** Resolves an entry against its table, without its index. Returns undefined if problems of the entry prevent it. */
export function resolve(
  entry: EmbeddingConfigInput,
  { relation, columns, vector, content }: FoundTable,
  extension: Extension,
  filters: ReadonlyMap<string, FilterType>,
): ResolvedEntry | undefined {
  if (!vector || content.length === 0 || !isMetric(entry.distance_metric)) return undefined
  const vector_type = vector.type === 'halfvec' ? 'halfvec' : 'vector'
  const fitting = [...filters].flatMap(([name, type]) => {
    const column = columns.get(name)
    return column && FILTER_TYPES[type].fits(column) ? [[name, { type, pg_type: column.plain }] as const] : []
  })
  return {
    label: entry.label,
    schema: relation.schema,
    table: relation.name,
    vector_column: vector.name,
    vector_type,
    extension_schema: extension.schema,
    model: entry.model,
    dimensions: entry.dimensions,
    metric: entry.distance_metric,
    content: content.map(({ name, plain }) => ({ name, type: plain })),
    filters: Object.fromEntries(fitting),
    index: null,
    oid: relation.oid,
    row_security: relation.row_security,
    version: extension.version,
  }
}
