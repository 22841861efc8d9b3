import { exactNumber, isNumberText } from '#contract/core/decimal.ts'
import type { FilterType } from '#contract/data-sources/sources.ts'

type Value = string | number | boolean
export type Filters = Record<string, Value | Value[]>
/** The typed values of each column; a column with several values matches any of them. */
export type Typed = Readonly<Record<string, readonly string[]>>

/** Turns what was typed into filters of a question. Empty fields are no filter; a fault names each wrong value. */
export function toFilters(
  schema: Readonly<Record<string, FilterType>>,
  typed: Typed,
): { filters: Filters; faults: Record<string, string> } {
  const filters: [string, Value | Value[]][] = []
  const faults: [string, string][] = []
  for (const [column, type] of Object.entries(schema)) {
    const texts = Object.hasOwn(typed, column) ? typed[column]!.filter((text) => text !== '') : []
    const values = texts.map((text) => toValue(type, text))
    const wrong = texts.find((_, index) => values[index] === undefined)
    if (wrong !== undefined) faults.push([column, `Must be a ${type}, not ${wrong}`])
    else if (values.length > 0) filters.push([column, values.length === 1 ? values[0]! : (values as Value[])])
  }
  return { filters: Object.fromEntries(filters), faults: Object.fromEntries(faults) }
}

function toValue(type: FilterType, text: string): Value | undefined {
  if (type === 'string') return text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const digits = text.trim()
  // A number that JavaScript cannot represent exactly is sent as text, which number columns accept too.
  return isNumberText(digits) ? (exactNumber(digits) ?? digits) : undefined
}

/** Puts a chosen value into the first empty field of a column, or into a new one. */
export function addValue(values: readonly string[], value: string): readonly string[] {
  if (values.includes(value)) return values
  const empty = values.indexOf('')
  return empty < 0 ? [...values, value] : values.with(empty, value)
}
