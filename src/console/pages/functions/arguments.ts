type Json = Record<string, unknown>

/** Reads what was typed as the arguments of a function. */
export function parseArguments(text: string): { value: Json } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as Json }
    return { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
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

/** The schema was written by the author of the app, so that none of its parts can be relied on. */
function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
