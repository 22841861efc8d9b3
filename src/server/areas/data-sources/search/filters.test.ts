import { describe, expect, it } from 'vitest'
import { readFilters } from './filters.ts'

const SCHEMA = { category: 'string', year: 'number', published: 'boolean' } as const

describe('DS-13 filters', () => {
  it('are exact matches of the declared type; a list means either', () => {
    expect(readFilters({ category: 'a', year: [2024, 2025, 2024], published: true }, SCHEMA)).toEqual([
      { column: 'category', operator: 'equals', values: ['a'] },
      { column: 'year', operator: 'any_of', values: [2024, 2025] },
      { column: 'published', operator: 'equals', values: [true] },
    ])
  })

  it.each([
    [
      { author: 'x' },
      'filters.author: not filterable. Filterable: category (string), year (number), published (boolean)',
    ],
    [
      { constructor: 'x' },
      'filters.constructor: not filterable. Filterable: category (string), year (number), published (boolean)',
    ],
    [{ year: 'soon' }, 'filters.year: must be a number or a list of numbers'],
    [{ year: '' }, 'filters.year: must be a number or a list of numbers'],
    [{ year: '0x7e8' }, 'filters.year: must be a number or a list of numbers'],
    [{ year: [2024, '2025 or true'] }, 'filters.year: must be a number or a list of numbers'],
    [{ year: true }, 'filters.year: must be a number or a list of numbers'],
    [{ year: 9007199254740992 }, 'filters.year: a whole number beyond 2^53 is not exact as a JSON number'],
    [{ year: [1, -9007199254740992] }, 'send its digits as a string'],
    [{ year: 1e308 }, 'send its digits as a string'],
    [{ published: 'true' }, 'filters.published: must be a boolean or a list of booleans'],
    [{ category: 1 }, 'filters.category: must be a string or a list of strings'],
  ])('%j is refused', (filters, message) => {
    expect(() => readFilters(filters as never, SCHEMA)).toThrow(message)
  })

  it('of a number column take digits as text, so that numbers beyond 2^53 can be asked for', () => {
    const year = ['9007199254740993', '-1', '2024.0', '2e3', '0.5', 'NaN', 9007199254740991, 2000.5]
    expect(readFilters({ year }, SCHEMA)).toEqual([
      {
        column: 'year',
        operator: 'any_of',
        values: ['9007199254740993', '-1', '2024', '2000', '0.5', 'NaN', 9007199254740991, 2000.5],
      },
    ])
    expect(() => readFilters({ published: '1' }, SCHEMA)).toThrow('must be a boolean')
  })

  it('of one value, as a list too, are compared by equality', () => {
    const equal = [{ column: 'year', operator: 'equals', values: ['2000'] }]
    expect(readFilters({ year: '2e3' }, SCHEMA)).toEqual(equal)
    expect(readFilters({ year: ['2000', '2e3'] }, SCHEMA)).toEqual(equal)
  })

  it('with nothing filterable it says so', () => {
    expect(() => readFilters({ a: 1 }, {})).toThrow('Filterable: none')
  })
})
