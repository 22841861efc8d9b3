import { exactNumber, wholeDigits } from '#contract/core/decimal.ts'
import { isBounded } from './is-bounded.ts'
import { fieldsOf, type Json, listOf } from './json-parts.ts'

type Read<T> = { readonly value: T } | { readonly fault: string }

/** Reads what was typed as the arguments of a function. */
export function parseArguments(text: string): Read<Json> {
  const read = parseJson(text)
  if ('fault' in read) return read
  const { value } = read
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as Json }
  return { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }
}

/** Reads JSON whose numbers are sent as they were typed. */
export function parseJson(text: string): Read<unknown> {
  const changed: string[] = []
  try {
    const value: unknown = JSON.parse(text, (_, part: unknown, { source }: { source?: string } = {}) => {
      if (typeof part === 'number' && source !== undefined && !isExact(source)) changed.push(source)
      return part
    })
    if (changed.length === 0) return { value }
    return { fault: `${changed[0]} would be sent as ${Number(changed[0])}. ${ADVICE}` }
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const ADVICE = 'Write a number with fewer digits, or a text if the function takes one.'

/** Whether JavaScript sends this number with the digits that were typed. */
export function isExact(digits: string): boolean {
  return exactNumber(digits) !== undefined || wholeDigits(digits) === wholeDigits(String(Number(digits)))
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
}

/** Arguments to start from: the required ones, with their default, first example or an empty value. */
export function exampleOf(schema: unknown): Json {
  if (!isBounded(schema)) return {}
  const { properties: given, required: names } = fieldsOf(schema)
  const properties = new Map(Object.entries(fieldsOf(given)))
  const required = listOf(names).filter((name): name is string => typeof name === 'string' && properties.has(name))
  return Object.fromEntries(required.map((name) => [name, valueFor(properties.get(name))]))
}

function valueFor(property: unknown): unknown {
  const { type, ...given } = fieldsOf(property)
  const empty = typeof type === 'string' && Object.hasOwn(EMPTY, type) ? EMPTY[type] : null
  return given.default ?? listOf(given.examples)[0] ?? listOf(given.enum)[0] ?? empty
}
