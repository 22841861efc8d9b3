import { expect, it } from 'vitest'
import { readFields } from './read-fields.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

function deep(levels: number): unknown {
  return levels === 0 ? {} : { items: deep(levels - 1) }
}

it.each([
  [{ type: 'string' }, { kind: 'text', isLong: true }],
  [
    { type: 'string', maxLength: 40 },
    { kind: 'text', isLong: false, hint: 'At most 40 characters.' },
  ],
  [
    { type: 'string', format: 'email' },
    { kind: 'text', isLong: false },
  ],
  [
    { type: 'number', minimum: 0, maximum: 1 },
    { kind: 'number', hint: 'From 0 to 1.' },
  ],
  [
    { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { kind: 'integer', hint: 'At least 1.' },
  ],
  [
    { type: 'integer', default: 3, description: ' How many ' },
    { kind: 'integer', hint: 'How many. Default: 3.' },
  ],
  [{ type: 'boolean' }, { kind: 'boolean' }],
  [
    { type: 'string', enum: ['s', 'm'] },
    { kind: 'choice', options: ['s', 'm'] },
  ],
  [{ enum: [1, null, true] }, { kind: 'choice', options: [1, null, true] }],
  [{ enum: [{}] }, { kind: 'json' }],
  [{ enum: [] }, { kind: 'json' }],
  [{ enum: Array.from({ length: 51 }, (_, index) => index) }, { kind: 'json' }],
  [{ enum: ['x'.repeat(101)] }, { kind: 'json' }],
  [{ type: ['string', 'null'] }, { kind: 'json' }],
  [{ type: 'string', anyOf: [{ minLength: 1 }] }, { kind: 'json' }],
  [{ type: 'string', const: 'x' }, { kind: 'json' }],
  [{ type: 'object', properties: { a: { type: 'string' } } }, { kind: 'json' }],
  [{ type: 'array' }, { kind: 'json' }],
  [{ $ref: '#' }, { kind: 'json' }],
  [true, { kind: 'json' }],
  [null, { kind: 'json' }],
  [{ type: 'constructor' }, { kind: 'json' }],
])('CO-12 an argument with the schema %j is the field %j', (schema, field) => {
  expect(readFields(object({ a: schema }))).toEqual([{ name: 'a', isRequired: false, hint: '', ...field }])
})

it('CO-12 fields are in the order of the schema, whatever their names are', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"b":{},"__proto__":{},"constructor":{}},"required":["b",1]}',
  )
  expect(readFields(schema)?.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['b', true],
    ['__proto__', false],
    ['constructor', false],
  ])
})

it('CO-12 a long description is shortened', () => {
  const [field] = readFields(object({ a: { description: 'x'.repeat(1_000), default: 'y'.repeat(1_000) } }))!
  expect(field!.hint.length).toBeLessThan(400)
})

const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`a${index}`, {}]))

it.each<[string, unknown]>([
  ['is no object', 'x'],
  ['is not of an object', { type: 'string' }],
  ['has parts that a form does not show', object({}, { anyOf: [{ required: ['a'] }] })],
  ['refers to another one', object({}, { $ref: '#/$defs/a' })],
  ['has more than 40 arguments', object(many)],
  ['has an argument with a long name', object({ ['x'.repeat(65)]: {} })],
  ['has an argument without a name', object({ '': {} })],
  ['has a text of 40,000 characters', object({ a: { description: 'x'.repeat(40_000) } })],
  ['has 3,000 values', object({ a: { examples: Array.from({ length: 3_000 }, () => 1) } })],
  ['is 2,000 levels deep', object({ a: deep(2_000) })],
])('CO-12 a schema that %s has only the JSON', (_, schema) => {
  expect(readFields(schema)).toBeUndefined()
})
