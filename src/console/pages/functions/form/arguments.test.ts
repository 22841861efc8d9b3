import { expect, it } from 'vitest'
import { exampleOf, isExact, parseArguments } from './arguments.ts'

it.each([
  ['{"name": "Ada"}', { value: { name: 'Ada' } }],
  ['[1]', { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }],
  ['null', { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }],
  ['{"n": 9007199254740993}', { fault: expect.stringContaining('9007199254740993 would be sent as 9007199254740992') }],
  ['{"n": [0.12345678901234567890]}', { fault: expect.stringContaining('would be sent as 0.12345678901234568') }],
  ['{"n": 1e999}', { fault: expect.stringContaining('would be sent as Infinity') }],
  ['{"n": 1e20, "__proto__": 1.50}', { value: JSON.parse('{"n": 1e20, "__proto__": 1.5}') }],
  ['{name: 1}', { fault: expect.stringContaining('This is not JSON: ') }],
])('CO-02 the arguments %s are read as %j', (text, read) => {
  expect(parseArguments(text)).toEqual(read)
})

it.each([
  [{}, {}],
  [null, {}],
  [{ properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] }, { a: '' }],
  [{ properties: { n: { type: 'integer', default: 3 } }, required: ['n'] }, { n: 3 }],
  [{ properties: { size: { enum: ['s', 'm'] } }, required: ['size'] }, { size: 's' }],
  [{ properties: { x: true }, required: ['x', 'gone', 'constructor'] }, { x: null }],
  [{ properties: { t: { type: 'constructor' } }, required: ['t'] }, { t: null }],
  [{ properties: { t: { type: 'string' } }, required: ['t'], description: 'x'.repeat(40_000) }, {}],
])('CO-02 the form of a function with the schema %j starts with %j', (schema, value) => {
  expect(exampleOf(schema)).toEqual(value)
})

it.each([
  ['0', true],
  ['-0.10', true],
  ['1e21', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['0.1000000000000000055', false],
])('CO-12 the number %s is sent with the same digits: %j', (digits, isSame) => {
  expect(isExact(digits)).toBe(isSame)
})
