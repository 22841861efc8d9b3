import type { z } from 'zod'
import type { configureSource } from '../search-config.ts'
import type { FilterType } from '../sources.ts'
import { looksSensitive } from './sensitive-name.ts'
import { suggestColumns } from './suggest-columns.ts'
import { isVector, type Table, type TableColumn } from './table.ts'

export type EmbeddingModel = { readonly id: string; readonly dimensions: number | null }
type Configuration = Omit<z.input<typeof configureSource.input>, 'id'>
type Entry = Configuration['connection_config']['embedding_configs'][number]

export type Suggestion = {
  readonly configuration: Configuration
  /** Questions that a person answers, because the structure of the tables does not. */
  readonly questions: readonly string[]
}

/** Stands where only a person knows the model. A save with it is refused, so it cannot be overlooked. */
const UNKNOWN_MODEL = 'REPLACE-WITH-YOUR-MODEL'

/** Proposes a search configuration of the tables that have vectors. Columns that could be secret are left out. */
export function suggestSearch(
  tables: readonly Table[],
  models: readonly EmbeddingModel[],
  isNamed: boolean,
): Suggestion {
  const parts = tables.flatMap((table) => suggestTable(table, tables, models, isNamed))
  return {
    configuration: {
      connection_config: { embedding_configs: parts.flatMap(({ entry }) => entry ?? []) },
      filter_schema: Object.assign({}, ...parts.map(({ filters }) => filters)),
    },
    questions: parts.flatMap(({ questions }) => questions),
  }
}

type Part = {
  readonly entry?: Entry
  readonly filters: Readonly<Record<string, FilterType>>
  readonly questions: readonly string[]
}

function suggestTable(
  table: Table,
  tables: readonly Table[],
  models: readonly EmbeddingModel[],
  isNamed: boolean,
): readonly Part[] {
  const vectors = table.columns.filter(isVector)
  const vector = vectorOf(table)
  const shown = nameOf(table)
  const skipped = (question: string) => [{ filters: {}, questions: [`${shown} was left out: ${question}`] }]
  if (!vector) return isNamed ? skipped('it has no vector or halfvec column. Add one and fill it.') : []
  if (!isNamed && looksSensitive(table.name)) {
    return skipped('its name looks like secrets or people. May agents search it? Then name the table in the command.')
  }
  const dimensions = vector.dimensions
  if (dimensions === undefined)
    return skipped(`which size do the vectors of ${vector.name} have? No stored vector says so.`)
  const columns = suggestColumns(table)
  if (columns.content.length === 0) return skipped(columns.questions.join(' '))
  const { model, questions } = chooseModel({ ...vector, dimensions }, `${shown}.${vector.name}`, models)
  const entry = {
    label: labelOf(table, tables),
    table: shown,
    columns: [vector.name],
    model,
    dimensions,
    content_columns: columns.content.map(quoted).join(', '),
  }
  const all = [
    ...questions,
    ...otherVectors(shown, vector, vectors),
    ...columns.questions.map((one) => `${shown}: ${one}`),
  ]
  return [{ entry, filters: columns.filters, questions: all }]
}

/** Returns the vector column to search unless a person chooses another one. */
export function vectorOf({ columns }: Pick<Table, 'columns'>): TableColumn | undefined {
  const vectors = columns.filter(isVector)
  return vectors.find(({ name }) => name === 'embedding') ?? vectors[0]
}

type Filled = Pick<TableColumn, 'filledBy'> & { readonly dimensions: number }

/** Anybody who may comment on the column can have written the record, so it must name a model that fits. */
function chooseModel({ dimensions, filledBy }: Filled, column: string, models: readonly EmbeddingModel[]) {
  const recorded = models.find(({ id }) => id === filledBy)
  if (recorded && (recorded.dimensions ?? dimensions) === dimensions) return { model: recorded.id, questions: [] }
  const fitting = models.filter((model) => model.dimensions === dimensions).map(({ id }) => id)
  if (fitting.length === 1) return { model: fitting[0]!, questions: [`${column}: did ${fitting[0]} fill it?`] }
  const choice =
    fitting.length === 0 ? `No model here has ${dimensions} dimensions.` : `It fits: ${fitting.join(', ')}.`
  const act = `Then replace "model": "${UNKNOWN_MODEL}".`
  return { model: UNKNOWN_MODEL, questions: [`${column}: which model filled it? ${choice} ${act}`] }
}

function otherVectors(shown: string, vector: TableColumn, vectors: readonly TableColumn[]): string[] {
  const others = vectors.filter(({ name }) => name !== vector.name).map(({ name }) => name)
  return others.length === 0 ? [] : [`${shown}: search ${vector.name}, or ${others.join(', ')}?`]
}

/** The name of the table, with its schema where another table has the same name. */
function labelOf(table: Table, tables: readonly Table[]): string {
  const isUnique = tables.filter(({ name }) => name === table.name).length === 1
  return isUnique ? table.name : `${table.schema}.${table.name}`
}

/** Writes the name of a table as a search configuration reads it. */
export function nameOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${quoted(schema)}.${quoted(name)}`
}

/** Writes a name as a search configuration reads it: in double quotes only where it has to be. */
export function quoted(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
