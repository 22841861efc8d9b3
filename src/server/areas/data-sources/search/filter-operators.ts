import { identifier, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Scalar } from './filter-types.ts'

/** Placeholders for the values of a filter, bound when the statement runs. Values never become text of a statement. */
type Values = { readonly first: unknown; readonly all: unknown }
type Condition = (column: Sql, type: Sql, values: Values) => Sql

/**
 * Every way to compare a column with the values of a filter. To add one:
 *  1. give it a form in `filters` of `querySource` (contract/data-sources/sources.ts);
 *  2. read that form in `formOf`, below;
 *  3. add its condition here.
 * Saving a configuration then tries it on each filterable column. Values that the type of the column cannot hold are
 * taken out of the list before, and a filter with none left matches no row.
 */
const FILTER_OPERATORS = {
  equals: (column, type, { first }) => sql`${column} = ${first}::${type}`,
  any_of: (column, type, { all }) => sql`${column} = any(${all}::${type}[])`,
} satisfies Record<string, Condition>

type FilterOperator = keyof typeof FILTER_OPERATORS

/** A condition that every hit meets. */
export type Filter = { readonly column: string; readonly operator: FilterOperator; readonly values: readonly Scalar[] }

/** Reads the form of a filter on the wire: one value, or a list that means any of its values. */
export function formOf(sent: Scalar | readonly Scalar[]): Pick<Filter, 'operator' | 'values'> {
  return isList(sent) ? { operator: 'any_of', values: sent } : { operator: 'equals', values: [sent] }
}

function isList(sent: Scalar | readonly Scalar[]): sent is readonly Scalar[] {
  return Array.isArray(sent)
}

/** Compares by the type of the column as the catalogue writes it, so that indexes on the column can be used. */
export function conditionOf(entry: Pick<ResolvedEntry, 'filters'>, { column, operator }: Filter, values: Values): Sql {
  const type = script(entry.filters[column]!.pg_type)
  return FILTER_OPERATORS[operator](sql`${identifier(column)}`, type, values)
}

/** A filter of every operator for each filterable column, without values, to try out their statements. */
export function allFilters({ filters }: Pick<ResolvedEntry, 'filters'>): Filter[] {
  const operators = Object.keys(FILTER_OPERATORS).filter(isOperator)
  return Object.keys(filters).flatMap((column) => operators.map((operator) => ({ column, operator, values: [] })))
}

function isOperator(name: string): name is FilterOperator {
  return Object.hasOwn(FILTER_OPERATORS, name)
}
