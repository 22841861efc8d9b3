import { isNumberText, wholeDigits } from '#contract/core/decimal.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { FilterType } from '#contract/data-sources/sources.ts'

export type Scalar = string | number | boolean
export type Filters = Readonly<Record<string, Scalar | readonly Scalar[]>>
export type Filter = { column: string; values: readonly Scalar[] }
type Schema = Readonly<Record<string, FilterType>>

/** Checks each value against the declared type of its column. Several values of one column mean either. */
export function checkFilters(filters: Filters, schema: Schema): Filter[] {
  return Object.entries(filters).map(([column, given]) => {
    const type = Object.hasOwn(schema, column) ? schema[column] : undefined
    if (!type) throw notFilterable(column, schema)
    const values = Array.isArray(given) ? (given as readonly Scalar[]) : [given as Scalar]
    const read = values.map((value) => readValue(column, type, value))
    return { column, values: [...new Set(read)] }
  })
}

function readValue(column: string, type: FilterType, value: Scalar): Scalar {
  if (type === 'number') return readNumber(column, value)
  if (typeof value !== type) throw misfit(column, type)
  return value
}

/** Text of digits is a number too: that is how numbers beyond 2^53 are answered, and the only way to send them exactly. */
function readNumber(column: string, value: Scalar): Scalar {
  if (typeof value === 'string' && isNumberText(value)) return wholeDigits(value)
  if (typeof value !== 'number') throw misfit(column, 'number')
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw refused(column, UNSAFE)
  return value
}

const UNSAFE = 'a whole number beyond 2^53 cannot be read exactly as a JSON number; send its digits as a string'

function misfit(column: string, type: FilterType): ServiceError {
  return refused(column, `must be a ${type}, or a list of them`)
}

function notFilterable(column: string, schema: Schema): ServiceError {
  const known = Object.entries(schema).map(([name, type]) => `${name} (${type})`)
  return refused(column, `not filterable. Filterable: ${known.length === 0 ? 'none' : known.join(', ')}`)
}

function refused(column: string, message: string): ServiceError {
  const path = `filters.${column}`
  return new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}
