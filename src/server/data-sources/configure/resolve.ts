import type { FilterType } from '#contract/data-sources.ts'
import type { EmbeddingConfigInput } from '#contract/search-config.ts'
import type { Extension } from './catalogue.ts'
import { isMetric } from './check-entry.ts'
import { fits } from './check-filters.ts'
import { type FoundTable, searchesOn, tableText } from './check-table.ts'
import type { Reporter } from './findings.ts'
import type { ResolvedEntry } from './resolved.ts'

const CLASS = { cosine: 'cosine_ops', l2: 'l2_ops', inner_product: 'ip_ops' } as const
const METHODS = ['hnsw', 'ivfflat'] as const

/** What a question needs to know; undefined when the entry has problems that leave it open. */
export function resolve(
  entry: EmbeddingConfigInput,
  { relation, columns, vector, content, indexes }: FoundTable,
  extension: Extension,
  filters: ReadonlyMap<string, FilterType>,
): ResolvedEntry | undefined {
  if (!vector || content.length === 0 || !isMetric(entry.distance_metric)) return undefined
  const vector_type = vector.type === 'halfvec' ? 'halfvec' : 'vector'
  const wanted = `${vector_type}_${CLASS[entry.distance_metric]}`
  const usable = indexes.filter((index) => index.column === vector.number && index.operator_class === wanted)
  const fitting = [...filters].flatMap(([name, type]) => {
    const column = columns.get(name)
    return column && fits(type, column) ? [[name, { type, pg_type: column.plain }] as const] : []
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
    index: searchesOn(extension)
      ? (METHODS.find((method) => usable.some((index) => index.method === method)) ?? null)
      : null,
    oid: relation.oid,
    row_security: relation.row_security,
    version: extension.version,
  }
}

/** Beside a save that works all the same. */
export function warnOfSearch(entry: ResolvedEntry, { relation, vector, indexes }: FoundTable, report: Reporter): void {
  if (entry.index || !searchesOn(entry)) return
  const near = indexes.filter(({ column, method }) => {
    return column === vector?.number && (METHODS as readonly string[]).includes(method)
  })
  const place = `"${entry.vector_column}" of ${tableText(relation)}`
  const why =
    near.length === 0
      ? `has no hnsw or ivfflat index`
      : `has an index with ${near[0]!.operator_class}, which ${entry.metric} cannot use`
  report.warn(`${place} ${why}: it is searched exactly, row by row`)
}
