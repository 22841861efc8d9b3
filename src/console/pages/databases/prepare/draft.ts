import type { z } from 'zod'
import type { configureSource, DISTANCE_METRICS, SearchConfiguration } from '#contract/data-sources/search-config.ts'
import type { FilterType } from '#contract/data-sources/sources.ts'
import { looksSensitive } from '#contract/data-sources/suggest/sensitive-name.ts'
import { filterTypeOf, suggestColumns } from '#contract/data-sources/suggest/suggest-columns.ts'
import { type EmbeddingModel, nameOf, quoted, vectorOf } from '#contract/data-sources/suggest/suggest-search.ts'
import { isVector, type TableColumn } from '#contract/data-sources/suggest/table.ts'
import { splitNames } from '#contract/data-sources/table-name.ts'
import type { DatabaseColumn, DatabaseTable } from '#contract/database-tables.ts'

export type Metric = (typeof DISTANCE_METRICS)[number]
export type SearchDocument = Omit<z.input<typeof configureSource.input>, 'id' | 'send_sample_to_provider'>

/** The choices of a person about one table. */
export type Draft = {
  readonly label: string
  readonly vector: string
  readonly model: string
  readonly metric: Metric
  /** The column that identifies a row; empty while none is chosen. */
  readonly id: string
  /** The column that is the title of a hit; empty for none. */
  readonly title: string
  /** The other columns that come back. */
  readonly returned: ReadonlySet<string>
  readonly filters: ReadonlySet<string>
}

export function toColumn(column: DatabaseColumn): TableColumn {
  const { name, base_type: type, category, dimensions, is_key: isKey } = column
  return { name, type, category, isKey, dimensions: dimensions ?? undefined }
}

function columnsOf({ columns }: Pick<DatabaseTable, 'columns'>): TableColumn[] {
  return columns.map(toColumn)
}

/** Returns the choices that the client proposes too. Columns that could be secret are not chosen. */
export function suggestDraft(table: DatabaseTable, models: readonly EmbeddingModel[]): Draft {
  const columns = columnsOf(table)
  const vector = vectorOf({ columns })
  const { content, filters } = suggestColumns({ columns })
  const [id = '', second = ''] = content
  return {
    label: table.name,
    vector: vector?.name ?? '',
    model: vector ? (modelsFor(vector, models)[0]?.id ?? '') : '',
    metric: 'cosine',
    id,
    title: second,
    returned: new Set(content.slice(2)),
    filters: new Set(Object.keys(filters)),
  }
}

type Saved = Pick<SearchConfiguration, 'connection_config' | 'filter_schema'>

/** Returns the choices of the saved entry of this table; undefined where there is none. */
export function savedDraft(table: DatabaseTable, { connection_config, filter_schema }: Saved): Draft | undefined {
  const entry = connection_config.embedding_configs.find((each) => isOf(each.table, table))
  if (!entry) return undefined
  const [id = '', title = '', ...others] = splitNames(entry.content_columns, ',') ?? []
  const { label, columns, model, distance_metric: metric } = entry
  const filters = new Set(Object.keys(filter_schema))
  return { label, vector: columns[0] ?? '', model, metric, id, title, returned: new Set(others), filters }
}

/** Returns the models that could have filled a vector column: all where its size or theirs is not known. */
export function modelsFor({ dimensions }: TableColumn, models: readonly EmbeddingModel[]): readonly EmbeddingModel[] {
  return models.filter(
    (model) => dimensions === undefined || model.dimensions === null || model.dimensions === dimensions,
  )
}

export type OfferedColumn = {
  readonly column: DatabaseColumn
  readonly filter: FilterType | undefined
  readonly isSensitive: boolean
}

/** Returns the columns that can come back or be filtered on, in the order of the table. */
export function offeredColumns({ columns }: Pick<DatabaseTable, 'columns'>): OfferedColumn[] {
  return columns
    .filter((column) => !isVector(toColumn(column)))
    .map((column) => ({ column, filter: filterTypeOf(toColumn(column)), isSensitive: looksSensitive(column.name) }))
}

/** Returns the names of the columns that come back: the id, the title, and the others in the order of the table. */
export function contentOf(table: Pick<DatabaseTable, 'columns'>, { id, title, returned }: Draft): string[] {
  const others = offeredColumns(table).map(({ column }) => column.name)
  const first = [id, title].filter((name) => name !== '')
  return [...new Set([...first, ...others.filter((name) => returned.has(name))])]
}

/** Returns the document to save: the saved one with the entry of this table in place of a former one. */
export function composeDocument(
  table: DatabaseTable,
  draft: Draft,
  models: readonly EmbeddingModel[],
  saved: Saved,
): SearchDocument {
  const { embedding_configs, ...settings } = saved.connection_config
  const entry = toEntry(table, draft, models)
  const place = embedding_configs.findIndex((each) => isOf(each.table, table))
  const entries = place === -1 ? [...embedding_configs, entry] : embedding_configs.with(place, entry)
  const filters = offeredColumns(table).flatMap(({ column: { name }, filter }) =>
    filter !== undefined && draft.filters.has(name) ? [[name, filter] as const] : [],
  )
  // Filters on columns that this table does not have are those of other tables.
  const others = Object.entries(saved.filter_schema).filter(
    ([name]) => entries.length > 1 && !table.columns.some((column) => column.name === name),
  )
  return {
    connection_config: { ...settings, embedding_configs: entries },
    filter_schema: Object.fromEntries([...others, ...filters]),
  }
}

/** Whether an entry searches this table. A name without a schema means the schema `public` almost always. */
export function isOf(entryTable: string, table: Pick<DatabaseTable, 'schema' | 'name'>): boolean {
  return entryTable === nameOf(table) || (table.schema === 'public' && entryTable === quoted(table.name))
}

function toEntry(table: DatabaseTable, draft: Draft, models: readonly EmbeddingModel[]) {
  const vector = table.columns.find(({ name }) => name === draft.vector)
  const model = models.find(({ id }) => id === draft.model)
  return {
    label: draft.label.trim(),
    table: nameOf(table),
    columns: [draft.vector],
    model: draft.model,
    dimensions: vector?.dimensions ?? model?.dimensions ?? 0,
    content_columns: contentOf(table, draft).map(quoted).join(', '),
    distance_metric: draft.metric,
  }
}

/** Whether two documents mean the same, whatever the order of their keys. */
export function isSameDocument(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
