import { z } from 'zod'

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

const Property = z.object({
  type: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
})
const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
})

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
  const { data } = Schema.safeParse(schema)
  const properties = new Map(Object.entries(data?.properties ?? {}))
  const required = (data?.required ?? []).filter((name) => properties.has(name))
  return Object.fromEntries(required.map((name) => [name, valueFor(properties.get(name))]))
}

function valueFor(property: unknown): unknown {
  const { data } = Property.safeParse(property)
  if (!data) return null
  const { type = '' } = data
  return data.default ?? data.examples?.[0] ?? data.enum?.[0] ?? (Object.hasOwn(EMPTY, type) ? EMPTY[type] : null)
}
