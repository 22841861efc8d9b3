import type { FilterType } from '#contract/data-sources.ts'
import { ServiceError } from '#contract/errors.ts'

export type Scalar = string | number | boolean
export type Filters = Readonly<Record<string, Scalar | readonly Scalar[]>>
export type Filter = { column: string; values: readonly Scalar[] }
type Schema = Readonly<Record<string, FilterType>>

/** Exact matches, each against the declared type. Several values of one column mean either. */
export function checkFilters(filters: Filters, schema: Schema): Filter[] {
  return Object.entries(filters).map(([column, given]) => {
    if (!Object.hasOwn(schema, column)) throw notFilterable(column, schema)
    const values = Array.isArray(given) ? (given as readonly Scalar[]) : [given as Scalar]
    const misfit = values.some((value) => typeOf(value) !== schema[column])
    if (misfit) throw refused(column, `must be a ${schema[column]}, or a list of them`)
    return { column, values: [...new Set(values)] }
  })
}

/** The declared types are the names `typeof` gives. */
function typeOf(value: Scalar): string {
  return typeof value
}

function notFilterable(column: string, schema: Schema): ServiceError {
  const known = Object.entries(schema).map(([name, type]) => `${name} (${type})`)
  return refused(column, `not filterable. Filterable: ${known.length === 0 ? 'none' : known.join(', ')}`)
}

function refused(column: string, message: string): ServiceError {
  const path = `filters.${column}`
  return new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}
