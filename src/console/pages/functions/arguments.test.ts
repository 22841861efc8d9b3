import { expect, it } from 'vitest'
import { exampleOf, parseArguments } from './arguments.ts'

it.each([
  ['{"name": "Ada"}', { value: { name: 'Ada' } }],
  ['[1]', { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }],
  ['null', { fault: 'The arguments must be a JSON object, such as {"name": "Ada"}.' }],
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
])('CO-02 the form of a function with the schema %j starts with %j', (schema, value) => {
  expect(exampleOf(schema)).toEqual(value)
})
