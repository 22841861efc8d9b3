import fc from 'fast-check'
import type { JsonSchema } from '#edge/openapi/schema.ts'

const FORMATS: Record<string, fc.Arbitrary<unknown>> = {
  email: fc.constantFrom('person@example.com', 'a.b@mail.example.org'),
  'date-time': fc.constantFrom('2026-01-31T12:00:00.000Z', '1999-12-31T23:59:59Z'),
  uri: fc.constantFrom('https://example.com', 'https://example.com/path?x=1'),
}

/** Makes values that a JSON Schema of our OpenAPI document accepts. `shared` has the schemas that it refers to. */
export function valuesOf(
  schema: JsonSchema,
  shared: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema | boolean | undefined) =>
    typeof part === 'object' ? valuesOf(part, shared, depth + 1) : fc.constant('x')
  if (schema.$ref !== undefined) return inner(shared[schema.$ref.split('/').at(-1)!])
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return depth > 4 ? inner(variants[0]) : fc.oneof(...variants.map(inner))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return stringsOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31 - 1) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000_000, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const minLength = schema.minItems ?? 0
      const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? 2, depth > 4 ? 0 : 2))
      return fc.array(inner([schema.items].flat()[0]), { minLength, maxLength })
    }
    case 'object':
      return objectsOf(schema, inner, depth)
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

function stringsOf({ format, pattern, minLength = 0, maxLength = 10_000 }: JsonSchema): fc.Arbitrary<unknown> {
  const ofFormat = FORMATS[format ?? '']
  if (ofFormat) return ofFormat
  if (pattern !== undefined) {
    const isRight = new RegExp(pattern, 'u')
    // fast-check cannot generate from a lookahead, so it generates without and leaves out what the lookahead forbids.
    const generated = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?![^)]*\)/g, ''), 'u'))
    return generated.filter((text) => text.length <= maxLength && isRight.test(text))
  }
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) })
}

function objectsOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (part: JsonSchema | boolean | undefined) => fc.Arbitrary<unknown>,
  depth: number,
): fc.Arbitrary<unknown> {
  const keys = Object.entries(properties).filter(([key]) => depth <= 4 || required.includes(key))
  const model = Object.fromEntries(keys.map(([key, part]) => [key, inner(part)]))
  if (keys.length === 0 && typeof additionalProperties === 'object') {
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), inner(additionalProperties), { maxKeys: 2 })
  }
  return fc.record(model, { requiredKeys: required.filter((key) => key in model) })
}
