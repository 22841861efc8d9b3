import { expect, it } from 'vitest'
import { toFilters } from './query.ts'

const TYPES = { category: 'string', year: 'number', published: 'boolean' }

it('DS-22 filters become what their columns hold; the same column twice means either', () => {
  const pairs: [string, string][] = [
    ['category', 'a=b'],
    ['year', '2024'],
    ['year', '2025'],
    ['published', 'true'],
    ['unknown', '1'],
  ]
  expect(toFilters(pairs, TYPES)).toEqual({ category: ['a=b'], year: [2024, 2025], published: [true], unknown: ['1'] })
})

it.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['0.12345678901234567890', '0.12345678901234567890'],
  ['-1.5e3', -1500],
  [' 7 ', 7],
  ['NaN', 'NaN'],
])('DS-22 --filter year=%s is sent as a number only where that keeps it', (text, value) => {
  expect(toFilters([['year', text]], TYPES)).toEqual({ year: [value] })
})

it.each([
  ['year', '0x10', '--filter year: must be a number, not 0x10'],
  ['year', 'soon', '--filter year: must be a number, not soon'],
  ['year', '', '--filter year: must be a number, not '],
  ['published', 'yes', '--filter published: must be a boolean, not yes'],
])('DS-22 --filter %s=%s is refused before it is sent', (column, text, words) => {
  expect(() => toFilters([[column, text]], TYPES)).toThrow(words)
})
