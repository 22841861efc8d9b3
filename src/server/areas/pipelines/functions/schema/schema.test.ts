import { describe, expect, it } from 'vitest'
import { checkSchema } from './check-schema.ts'
import { validate } from './validate.ts'

const text = { type: 'string' }
const REF_FAULT = 'properties.a.$ref: must be # or point to an entry of $defs or definitions in the same schema'

function faultOf(schema: unknown): string {
  const checked = checkSchema(schema)
  return 'root' in checked ? 'fits' : `${checked.path}: ${checked.message}`
}

function nested(levels: number): object {
  return levels === 0 ? text : { type: 'object', properties: { a: nested(levels - 1) } }
}

describe('a schema that anybody may have written', () => {
  it.each<[string, unknown, string]>([
    ['usual', { type: 'object', properties: { a: text }, required: ['a'] }, 'fits'],
    ['recursive', { type: 'object', properties: { a: { $ref: '#' } } }, 'fits'],
    ['with definitions', { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: text } }, 'fits'],
    ['not of an object', text, 'type: must be "object"'],
    ['too large', { type: 'object', description: 'x'.repeat(33_000) }, ': must have at most 32768 bytes'],
    ['too deep', nested(20), `${Array(17).fill('properties.a').join('.')}: is nested more than 16 levels deep`],
    [
      'with too many parts',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`p${i}`, text])) },
      'properties.p499: the schema has more than 500 parts',
    ],
    ['with an address', { type: 'object', properties: { a: { $ref: 'https://example.com/s.json' } } }, REF_FAULT],
    ['with a missing target', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, REF_FAULT],
    ['with a path into itself', { type: 'object', properties: { a: { $ref: '#/properties/a' } } }, REF_FAULT],
    [
      'with the prototype as a target',
      { type: 'object', properties: { a: { $ref: '#/$defs/toString' } }, $defs: {} },
      REF_FAULT,
    ],
    ['with an unknown keyword', { type: 'object', if: {} }, 'if: is a keyword that is not supported'],
    [
      'with a keyword of the prototype',
      { type: 'object', constructor: {} },
      'constructor: is a keyword that is not supported',
    ],
    [
      'with a zero step',
      { type: 'object', properties: { a: { multipleOf: 0 } } },
      'properties.a.multipleOf: must be a number above 0',
    ],
    ['with U+0000', { type: 'object', title: 'a\0b' }, ': must not contain the character U+0000'],
  ])('%s', (_, schema, expected) => {
    expect(faultOf(schema)).toBe(expected)
  })

  it.each([
    ['look-ahead', '^(?=a)b'],
    ['a back-reference', '(a)\\1'],
    ['a large repetition', '(a{1000}){1000}'],
    ['more than 500 characters', 'a'.repeat(501)],
    ['more instructions than 1,000', '(?:[a-z]?){900}'],
  ])('may not have a pattern with %s', (_, pattern) => {
    expect(faultOf({ type: 'object', properties: { a: { pattern } } })).toMatch(/^properties\.a\.pattern: /)
  })
})

function faults(a: object, value: unknown, over: object = {}): string[] {
  const checked = checkSchema({ type: 'object', properties: { a }, ...over })
  if (!('root' in checked)) throw new Error(`${checked.path}: ${checked.message}`)
  return validate(checked, { a: value }).map(({ path, message }) => `${path}: ${message}`)
}

describe('arguments', () => {
  it.each<[object, unknown, string[]]>([
    [{ type: 'integer' }, 1.5, ['arguments.a: must be integer']],
    [{ type: ['string', 'null'] }, null, []],
    [{ minimum: 1, maximum: 2 }, 3, ['arguments.a: must be at most 2']],
    [{ exclusiveMinimum: 1 }, 1, ['arguments.a: must be above 1']],
    [{ exclusiveMaximum: 1 }, 1, ['arguments.a: must be below 1']],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ multipleOf: 2 }, 3, ['arguments.a: must be a multiple of 2']],
    [{ minLength: 2 }, '😀', ['arguments.a: must have at least 2 characters']],
    [{ maxLength: 1 }, '😀', []],
    [{ pattern: '^[a-z]+$' }, 'A', ['arguments.a: must match the pattern ^[a-z]+$']],
    [{ pattern: 'b' }, 'abc', []],
    [{ enum: ['x', { y: 1, z: 2 }] }, { z: 2, y: 1 }, []],
    [{ enum: ['x'] }, 'y', ['arguments.a: must be "x"']],
    [{ const: null }, 0, ['arguments.a: must be null']],
    [{ items: text }, ['x', 1], ['arguments.a.1: must be string']],
    [{ prefixItems: [text], items: false }, ['x', 1], ['arguments.a.1: is not allowed']],
    [{ minItems: 1 }, [], ['arguments.a: must have at least 1 items']],
    [{ uniqueItems: true }, [{ b: 1 }, { b: 1 }], ['arguments.a: must not have equal items']],
    [{ required: ['toString'] }, {}, ['arguments.a.toString: is missing']],
    [{ properties: {}, additionalProperties: false }, { __proto__: null, x: 1 }, ['arguments.a.x: unknown key']],
    [{ additionalProperties: text }, { x: 1 }, ['arguments.a.x: must be string']],
    [{ propertyNames: { maxLength: 1 } }, { xx: 1 }, ['arguments.a.xx: must have at most 1 characters']],
    [{ maxProperties: 0 }, { x: 1 }, ['arguments.a: must have at most 0 properties']],
    [{ anyOf: [text, { type: 'null' }] }, 1, ['arguments.a: must match one of anyOf']],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['arguments.a: must match exactly one of oneOf']],
    [{ allOf: [{ minimum: 5 }] }, 3, ['arguments.a: must be at least 5']],
    [{ not: text }, 'x', ['arguments.a: must not match the schema of not']],
    [{ $ref: '#' }, { a: { a: 1 } }, ['arguments.a.a.a: must be object']],
  ])('%j with %j', (schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected)
  })

  const tooMuch = ['arguments: take too long to check with this schema']

  it('are refused where a schema asks for exponential work', () => {
    const to = (i: number) => ({ $ref: `#/$defs/d${i}` })
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}`, { anyOf: [to(i + 1), to(i + 1)] }]))
    expect(faults({ $ref: '#/$defs/d0' }, 1, { $defs: { ...$defs, d30: { type: 'null' } } })).toEqual(tooMuch)
  })

  it('are refused where a reference points to itself without end', () => {
    expect(faults({ $ref: '#/$defs/a' }, 1, { $defs: { a: { $ref: '#/$defs/a' } } })).toEqual(tooMuch)
  })

  it('are refused where a pattern would be matched with too much text', () => {
    const pattern = '(?:a?){300}b'
    expect(faults({ pattern }, 'a'.repeat(5_000))[0]).toMatch(/must have at most 4096 characters/)
    expect(faults({ items: { pattern } }, Array(100).fill('a'.repeat(4_000)))).toEqual(tooMuch)
  })

  it('name at most 20 faults', () => {
    expect(faults({ items: text }, Array(100).fill(1))).toHaveLength(20)
  })
})
