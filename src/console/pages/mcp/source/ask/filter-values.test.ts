import { expect, it } from 'vitest'
import { addValue, toFilters } from './filter-values.ts'

const SCHEMA = { category: 'string', year: 'number', is_public: 'boolean' } as const

it.each([
  [{}, {}],
  [{ category: [''] }, {}],
  [{ category: ['leave'] }, { category: 'leave' }],
  [{ category: ['leave', '', 'travel'] }, { category: ['leave', 'travel'] }],
  [{ category: [' leave'] }, { category: ' leave' }],
  [{ year: [' 2024 '] }, { year: 2024 }],
  [{ year: ['1e3'] }, { year: 1000 }],
  [{ year: ['9007199254740993'] }, { year: '9007199254740993' }],
  [{ is_public: ['false'] }, { is_public: false }],
  [{ unknown: ['x'] }, {}],
])('CO-02 what is typed into the filters %j is sent as %j', (typed, filters) => {
  expect(toFilters(SCHEMA, typed)).toEqual({ filters, faults: {} })
})

it.each([
  [{ year: ['soon'] }, { year: 'Must be a number, not soon' }],
  [{ year: ['2024', '0x10'] }, { year: 'Must be a number, not 0x10' }],
  [{ is_public: ['yes'] }, { is_public: 'Must be a boolean, not yes' }],
])('CO-02 the wrong value in %j is named beside its field and not sent', (typed, faults) => {
  expect(toFilters(SCHEMA, typed)).toEqual({ filters: {}, faults })
})

it('CO-02 a column named like a property of every object is a column like others', () => {
  const schema = Object.fromEntries([
    ['constructor', 'string'],
    ['__proto__', 'string'],
  ]) as Record<string, 'string'>
  expect(toFilters(schema, { constructor: ['x'] }).filters).toEqual({ constructor: 'x' })
  expect(toFilters(schema, {}).filters).toEqual({})
})

it.each([
  [[''], ['a']],
  [['b'], ['b', 'a']],
  [
    ['b', '', 'c'],
    ['b', 'a', 'c'],
  ],
  [
    ['a', ''],
    ['a', ''],
  ],
])('CO-14 the chosen value a is added to %j as %j', (values, added) => {
  expect(addValue(values, 'a')).toEqual(added)
})
