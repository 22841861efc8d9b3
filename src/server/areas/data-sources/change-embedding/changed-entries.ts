import { ServiceError } from '#contract/core/errors.ts'
import type { EmbeddingChange } from '#contract/data-sources/embedding-change.ts'
import type { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import { readTableName } from '#contract/data-sources/table-name.ts'
import type { ResolvedEntry } from '../search/entry.ts'

type EmbeddingConfig = SearchConfiguration['connection_config']['embedding_configs'][number]
type Changed = { readonly entries: EmbeddingConfig[]; readonly labels: readonly string[] }

/**
 * Replaces model, column and dimensions of the entries that use `from`. There are no labels if all entries of the table
 * use `to` already. Throws CONFLICT if no entry uses either, because the configuration was changed since it was read.
 */
export function changedEntries(
  configs: readonly EmbeddingConfig[],
  resolved: readonly ResolvedEntry[],
  { table, from, to }: EmbeddingChange,
): Changed {
  const ofTable = resolved.filter((entry) => isTable(entry, table))
  const uses = ({ column, model }: EmbeddingChange['from']) =>
    ofTable.filter((entry) => entry.vector_column === column && entry.model === model).map(({ label }) => label)
  const labels = uses(from)
  if (labels.length === 0 && uses(to).length === 0) throw noEntry(table, from)
  const entries = configs.map((config) => {
    if (!labels.includes(config.label)) return config
    return { ...config, columns: [to.column], model: to.model, dimensions: to.dimensions }
  })
  return { entries, labels }
}

function isTable(entry: Pick<ResolvedEntry, 'schema' | 'table'>, text: string): boolean {
  const parsed = readTableName(text)
  if (parsed?.name !== entry.table) return false
  return parsed.schema === undefined || parsed.schema === entry.schema
}

function noEntry(table: string, { column, model }: EmbeddingChange['from']): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `No entry of this data source searches ${table} by the column ${column} with the model ${model}. Read its search configuration again.`,
  )
}
