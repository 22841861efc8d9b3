import { z } from 'zod'

type Schema = z.core.JSONSchema.BaseSchema

const FORMATS: Readonly<Record<string, string>> = {
  email: 'person@example.com',
  'date-time': '2026-01-31T12:00:00.000Z',
  uri: 'https://example.com/x',
}

/** Makes one value of the shape of a schema: of a list one entry, of a choice the first that is not null. */
export function exampleOf(schema: z.ZodType): unknown {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return exampleIn(whole, whole)
}

function exampleIn(schema: Schema, whole: Schema): unknown {
  const inner = (part: unknown) => exampleIn(part as Schema, whole)
  if (schema.$ref !== undefined) return inner(whole.$defs?.[schema.$ref.split('/').at(-1)!] ?? {})
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return inner(variants.find(({ type }) => type !== 'null') ?? variants[0])
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'string':
      return FORMATS[schema.format ?? ''] ?? 'thing'
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'array':
      return [inner(schema.items ?? {})]
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, part]) => [key, inner(part)]))
    default:
      return null
  }
}

/** Replaces parts of a value. Entries of lists are matched by their place. */
export function withParts(value: unknown, parts: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(parts)) return parts.map((part, index) => withParts(value[index], part))
  if (!isObject(value) || !isObject(parts)) return parts
  const changed = Object.entries(parts).map(([key, part]) => [key, withParts(value[key], part)])
  return { ...value, ...Object.fromEntries(changed) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
