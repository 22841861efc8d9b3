import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Operation } from '#contract/core/operation.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { createOutputParser, exactCheck } from './exact-output.ts'

const ROUNDS = 300

/** Values that fit some schema or other, and some that are often confused with them. */
const VALUES: readonly unknown[] = [
  '', 'text', '2026-01-01T00:00:00.000Z', 0, 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, true, false,
  null, undefined, [], {}, [1], ['a'], { a: 1 }, new Date(0), new Map(), Object.create(null), JSON.parse('{"__proto__":1}'),
] // biome-ignore format: a list of values is easier to read in few lines

function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Makes values near the schema: mostly right, with wrong values, missing, additional and reordered keys. */
function makeNear(schema: z.ZodType, random: (below: number) => number): unknown {
  if (random(20) === 0) return VALUES[random(VALUES.length)]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return random(3) === 0 ? [undefined, null][random(2)] : makeNear(schema.unwrap() as z.ZodType, random)
  if (schema instanceof z.ZodArray)
    return Array.from({ length: random(4) }, () => makeNear(schema.element as z.ZodType, random))
  if (schema instanceof z.ZodRecord)
    return Object.fromEntries(['b', '1', 'a'].slice(random(4)).map((key) => [key, VALUES[random(VALUES.length)]]))
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape)
      .filter(() => random(15) > 0)
      .map(([key, field]) => [key, makeNear(field as z.ZodType, random)] as const)
      .filter(([, value]) => value !== undefined || random(2) === 0)
    if (random(15) === 0) entries.splice(random(entries.length + 1), 0, ['unnamed', 1])
    return Object.fromEntries(random(15) === 0 ? entries.toReversed() : entries)
  }
  const values = [...VALUES, ...(schema._zod.values ?? [])]
  return values.filter((value) => schema.safeParse(value).success)[0] ?? VALUES[random(VALUES.length)]
}

const isCheckable = (op: Operation): op is Extract<Operation, { kind: 'json' }> =>
  op.kind === 'json' && exactCheck(op.output) !== undefined
const checkable = OPERATIONS.filter(isCheckable)

describe('an output that is exactly what its schema names', () => {
  it.each(checkable.map((op) => [op.name, op.output] as const))('%s: is what zod makes of it', (_, schema) => {
    const random = createRandom(17)
    const isExact = exactCheck(schema)!
    for (let round = 0; round < ROUNDS; round++) {
      const value = makeNear(schema, random)
      if (!isExact(value)) continue
      const parsed = schema.parse(value)
      expect(parsed).toStrictEqual(value)
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(value))
    }
  })

  it('is not parsed for a question', () => {
    const hit = { id: '1', title: null, metadata: { a: { b: 1 }, _score: 0.5 } }
    expect(exactCheck(querySource.output)!({ count: 1, results: [hit] })).toBe(true)
    expect(exactCheck(querySource.output)!({ count: 1, results: [hit], truncated: true, note: 'n' })).toBe(true)
  })
})

describe('any other output', () => {
  const parse = createOutputParser(
    z.object({ a: z.string(), b: z.int().optional(), c: z.record(z.string(), z.unknown()) }),
  )

  it.each([
    ['a key that is not named', { a: 'x', c: {}, secret: 1 }, '{"a":"x","c":{}}'],
    ['another order', { c: {}, a: 'x' }, '{"a":"x","c":{}}'],
    ['a key without a value', { a: 'x', b: undefined, c: {} }, '{"a":"x","c":{}}'],
    ['inherited keys', Object.assign(Object.create({ secret: 1 }), { a: 'x', c: {} }), '{"a":"x","c":{}}'],
    ['a key that zod leaves out', { a: 'x', c: JSON.parse('{"__proto__":{"x":1},"y":2}') }, '{"a":"x","c":{"y":2}}'],
  ])('with %s passes the schema', (_, value, sent) => {
    expect(JSON.stringify(parse(value))).toBe(sent)
  })

  it.each([
    ['a key missing', { c: {} }],
    ['a wrong type', { a: 1, c: {} }],
    ['a number that is no integer', { a: 'x', b: 1.5, c: {} }],
    ['a list for an object', []],
  ])('with %s is refused', (_, value) => {
    expect(() => parse(value)).toThrow(z.ZodError)
  })

  it('is parsed where a schema changes or checks more than types', () => {
    for (const schema of [
      z.string().min(1),
      z.email(),
      z.string().trim(),
      z.strictObject({}),
      z.looseObject({}),
      z.number(),
    ])
      expect(exactCheck(z.object({ field: schema }))).toBeUndefined()
  })
})
