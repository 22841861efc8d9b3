import { identifier } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Indexes } from './indexes.ts'
import { METRICS } from './metrics.ts'
import { choosePlan, scansIteratively } from './plan.ts'

/** Largest vectors that pgvector can put into an HNSW index. */
const MAX_INDEXED_DIMENSIONS = { vector: 2_000, halfvec: 4_000 } as const

type IndexedEntry = Pick<
  ResolvedEntry,
  'schema' | 'table' | 'vector_column' | 'vector_type' | 'metric' | 'dimensions' | 'extension_schema'
>

/**
 * Returns the statement that creates an index which questions of this entry would use. Null where they use one already,
 * where one is being built, and where they could not use any.
 */
export function indexStatement(entry: IndexedEntry, indexes: Indexes | undefined): string | null {
  if (!indexes || !'rpm'.includes(indexes.kind)) return null
  if (indexes.version === null || !scansIteratively({ version: indexes.version })) return null
  if (entry.dimensions > MAX_INDEXED_DIMENSIONS[entry.vector_type]) return null
  const operatorClass = `${entry.vector_type}_${METRICS[entry.metric].operatorClass}`
  const isUnfinished = indexes.found.some((index) => index.operator_class === operatorClass && !index.valid)
  if (choosePlan(entry, indexes).method !== 'exact' || isUnfinished) return null
  const table = identifier(entry.schema, entry.table).text
  // Postgres refuses CONCURRENTLY for a partitioned table.
  const concurrently = indexes.kind === 'p' ? '' : 'concurrently '
  const column = `${identifier(entry.vector_column).text} ${identifier(entry.extension_schema, operatorClass).text}`
  return `create index ${concurrently}on ${table} using hnsw (${column});`
}
