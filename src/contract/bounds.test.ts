import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from './operations.ts'

type Schema = z.core.$ZodType

/** A pattern without a repetition that has no upper end bounds the text by itself. */
function isBoundedPattern({ source, flags }: RegExp): boolean {
  const plain = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return plain.startsWith('^') && plain.endsWith('$') && !flags.includes('m') && !/[*+]|\{\d+,\}/.test(plain)
}

type Check = { check: string; pattern?: RegExp }

function checksOf(schema: Schema): Check[] {
  return (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def as Check)
}

function isBoundedText(schema: Schema): boolean {
  return checksOf(schema).some(
    ({ check, pattern }) => check === 'max_length' || (pattern !== undefined && isBoundedPattern(pattern)),
  )
}

/** Lists the parts of a schema whose size has no bound. Throws for a kind that it does not know. */
function unboundedParts(schema: Schema, path: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return isBoundedText(schema) ? [] : [`${path}: text`]
    case 'array': {
      const isBounded = checksOf(schema).some(({ check }) => check === 'max_length')
      return [...(isBounded ? [] : [`${path}: list`]), ...unboundedParts(def.element, `${path}[]`)]
    }
    case 'record': {
      const isBounded = typeof z.globalRegistry.get(schema)?.maxProperties === 'number' && checksOf(schema).length === 1
      const inner = [
        ...unboundedParts(def.keyType, `${path}.<key>`),
        ...unboundedParts(def.valueType, `${path}.<value>`),
      ]
      return [...(isBounded ? [] : [`${path}: map`]), ...inner]
    }
    case 'object': {
      const isStrict = def.catchall?._zod.def.type === 'never'
      const inner = Object.entries(def.shape).flatMap(([key, value]) => unboundedParts(value, `${path}.${key}`))
      return [...(isStrict ? [] : [`${path}: keys`]), ...inner]
    }
    case 'union':
      return def.options.flatMap((option) => unboundedParts(option, path))
    case 'optional':
    case 'nullable':
    case 'default':
      return unboundedParts(def.innerType, path)
    case 'pipe':
      return unboundedParts(def.in, path)
    // Any JSON: its bytes, keys and depth are limited with those of the body.
    case 'unknown':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
      return []
    default:
      throw new Error(`${path}: nobody decided how a ${def.type} is bounded`)
  }
}

describe('the input of every operation', () => {
  it('OP-10 has a bound for every text, list and map', () => {
    expect(OPERATIONS.flatMap(({ name, input }) => unboundedParts(input, name))).toEqual([])
  })

  it.each([
    ['a text', z.strictObject({ a: z.string() }), ['x.a: text']],
    ['a text with an open pattern', z.strictObject({ a: z.string().regex(/^a+$/) }), ['x.a: text']],
    ['a time with any number of digits', z.strictObject({ a: z.iso.datetime() }), ['x.a: text']],
    ['a list', z.strictObject({ a: z.array(z.int()).optional() }), ['x.a: list']],
    ['a map', z.strictObject({ a: z.record(z.string().max(1), z.int()) }), ['x.a: map']],
    ['unknown keys', z.object({ a: z.int() }), ['x: keys']],
  ])('this test finds %s without a bound', (_, schema, parts) => {
    expect(unboundedParts(schema, 'x')).toEqual(parts)
  })
})
