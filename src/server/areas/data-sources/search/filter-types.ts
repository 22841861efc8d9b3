import { isNumberText, wholeDigits } from '#contract/core/decimal.ts'
import type { FilterType } from '#contract/data-sources/sources.ts'

/** A filter value as a question sends it. */
export type Scalar = string | number | boolean

/** A column's type as the catalogue has it, without its domains. */
type ColumnType = { readonly kind: 'vector' | 'builtin' | 'enum' | 'other'; readonly type: string }

type FilterTypeRules = {
  /** Whether columns of this type can be filtered on with it. */
  readonly fits: (column: ColumnType) => boolean
  /** The value to bind, or what is wrong with the one that was sent. */
  readonly read: (value: Scalar) => { readonly value: Scalar } | { readonly fault: string }
}

const NUMBERS = ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']
const STRINGS = ['text', 'varchar', 'bpchar', 'name', 'uuid']

/** The rules of each type of `filter_schema`. A new type is a row here and a name in the contract. */
export const FILTER_TYPES: Readonly<Record<FilterType, FilterTypeRules>> = {
  string: {
    fits: ({ kind, type }) => kind === 'enum' || (kind === 'builtin' && STRINGS.includes(type)),
    read: (value) => (typeof value === 'string' ? { value } : misfit('string')),
  },
  number: {
    fits: ({ kind, type }) => kind === 'builtin' && NUMBERS.includes(type),
    read: readNumber,
  },
  boolean: {
    fits: ({ kind, type }) => kind === 'builtin' && type === 'bool',
    read: (value) => (typeof value === 'boolean' ? { value } : misfit('boolean')),
  },
}

const UNSAFE = 'a whole number beyond 2^53 is not exact as a JSON number; send its digits as a string'

/** Accepts digits as text too: numbers beyond 2^53 are answered so, and cannot be sent exactly in any other way. */
function readNumber(value: Scalar): { value: Scalar } | { fault: string } {
  if (typeof value === 'string' && isNumberText(value)) return { value: wholeDigits(value) }
  if (typeof value !== 'number') return misfit('number')
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? { fault: UNSAFE } : { value }
}

function misfit(type: FilterType): { fault: string } {
  return { fault: `must be a ${type} or a list of ${type}s` }
}
