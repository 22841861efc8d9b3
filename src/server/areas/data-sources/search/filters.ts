import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import type { FilterType, querySource } from '#contract/data-sources/sources.ts'
import { type Filter, formOf } from './filter-operators.ts'
import { FILTER_TYPES, type Scalar } from './filter-types.ts'

/** Filters by column, as a question sends them. */
export type SentFilters = z.output<typeof querySource.input>['filters']
type FilterSchema = Readonly<Record<string, FilterType>>

export function readFilters(sent: SentFilters, schema: FilterSchema): Filter[] {
  return Object.entries(sent).map(([column, sentFilter]) => {
    const type = Object.hasOwn(schema, column) ? schema[column] : undefined
    if (!type) throw notFilterable(column, schema)
    const form = formOf(sentFilter)
    const values = [...new Set(form.values.map((value) => readValue(column, type, value)))]
    // A list of one value is that value, so that both get the same plan.
    const operator = form.operator === 'any_of' && values.length === 1 ? 'equals' : form.operator
    return { column, operator, values }
  })
}

function readValue(column: string, type: FilterType, value: Scalar): Scalar {
  const read = FILTER_TYPES[type].read(value)
  if ('fault' in read) throw invalidFilter(column, read.fault)
  return read.value
}

function notFilterable(column: string, schema: FilterSchema): ServiceError {
  const names = Object.entries(schema).map(([name, type]) => `${name} (${type})`)
  return invalidFilter(column, `not filterable. Filterable: ${names.length === 0 ? 'none' : names.join(', ')}`)
}

function invalidFilter(column: string, message: string): ServiceError {
  const path = `filters.${column}`
  return new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}
