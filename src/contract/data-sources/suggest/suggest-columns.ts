import type { FilterType } from '../sources.ts'
import { looksSensitive } from './sensitive-name.ts'
import { isVector, type Table, type TableColumn } from './table.ts'

type Columns = {
  /** The id, the title, and the other columns that would be returned. Empty if no column can be the id. */
  readonly content: readonly string[]
  readonly filters: Readonly<Record<string, FilterType>>
  readonly questions: readonly string[]
}

const TITLE = /^(?:title|name|subject|headline|heading|label|question)$|_(?:title|name|subject)$/i
const FILTER =
  /^(?:category|kind|type|status|state|lang|language|locale|country|region|team|department|section|topic|tag|source|year|version|priority|severity|level|stage|channel|product|environment)$/i
/** Long texts, which nobody filters on by their whole value. */
const LONG_TEXT = /^(?:body|text|content|contents|description|summary|details|message|answer|markdown|html)$/i
const FILTER_TYPES: Readonly<Record<string, FilterType>> = {
  ...Object.fromEntries(['text', 'varchar', 'bpchar'].map((type) => [type, 'string' as const])),
  ...Object.fromEntries(['int2', 'int4', 'int8', 'numeric'].map((type) => [type, 'number' as const])),
  bool: 'boolean',
}
/** Categories of types whose values are short facts: text, numbers, booleans, dates and enums. */
const PLAIN_CATEGORIES = 'SNBDE'

/** Proposes the columns to return and to filter on. A column that could be secret is asked about and left out. */
export function suggestColumns({ columns }: Pick<Table, 'columns'>): Columns {
  const rest = columns.filter((column) => !isVector(column))
  const sensitive = rest.filter(({ name }) => looksSensitive(name))
  const usable = rest.filter(({ name }) => !looksSensitive(name))
  const plain = usable.filter(isPlain)
  const id = findId(plain)
  if (id === undefined) {
    return {
      content: [],
      filters: {},
      questions: ['which column identifies a row? It has no key of one plain column.'],
    }
  }
  const title = plain.find(({ name, category }) => name !== id.name && category === 'S' && TITLE.test(name))
  const others = plain.filter(({ name }) => name !== id.name && name !== title?.name)
  const filters = Object.fromEntries(plain.flatMap(filterOf))
  return {
    content: [id, ...(title ? [title] : []), ...others].map(({ name }) => name),
    filters,
    questions: [
      ...(title ? [] : [titleQuestion(others)]),
      ...moreFilters(others, filters),
      ...leftOut(sensitive, 'could hold secrets or personal data. May everyone who can ask see it?'),
      ...leftOut(
        usable.filter((column) => !isPlain(column)),
        'can hold anything. May everyone who can ask see it?',
      ),
    ],
  }
}

function isPlain({ category, type }: TableColumn): boolean {
  return PLAIN_CATEGORIES.includes(category) || type === 'uuid'
}

/** The only column of the primary key, or a column named `id` where there is no key, as in a view. */
function findId(columns: readonly TableColumn[]): TableColumn | undefined {
  const keys = columns.filter(({ isKey }) => isKey)
  return keys.length === 1 ? keys[0] : keys.length === 0 ? columns.find(({ name }) => name === 'id') : undefined
}

function titleQuestion(others: readonly TableColumn[]): string {
  const [second] = others
  return second
    ? `which column is the title of a hit? ${second.name} is the second one now.`
    : 'it has no title column.'
}

function leftOut(columns: readonly TableColumn[], why: string): string[] {
  return columns.map(({ name }) => `the column ${name} was left out: it ${why}`)
}

/** The structure does not say which columns have few values, so those with another name are left to the person. */
function moreFilters(columns: readonly TableColumn[], filters: Columns['filters']): string[] {
  const more = columns
    .filter(({ name }) => !LONG_TEXT.test(name))
    .flatMap((column) => {
      const type = filterTypeOf(column)
      return type === undefined || column.name in filters ? [] : [`${JSON.stringify(column.name)}: "${type}"`]
    })
  if (more.length === 0) return []
  const names = Object.keys(filters)
  const proposed = names.length === 0 ? 'no filter was proposed' : `only ${names.join(', ')} can be filtered on`
  return [`${proposed}. Should questions filter on another column? Then add it to filter_schema: ${more.join(', ')}.`]
}

function filterOf(column: TableColumn): [string, FilterType][] {
  const { name, category } = column
  const filter = filterTypeOf(column)
  return filter !== undefined && (filter === 'boolean' || category === 'E' || FILTER.test(name)) ? [[name, filter]] : []
}

/** Returns the type of filter that fits a column, undefined where none does. */
export function filterTypeOf({ type, category }: Pick<TableColumn, 'type' | 'category'>): FilterType | undefined {
  return category === 'E' ? 'string' : FILTER_TYPES[type]
}
