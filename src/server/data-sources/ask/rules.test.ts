import { describe, expect, it } from 'vitest'
import { checkFilters } from './filters.ts'
import { mergeHits, scoreOf } from './rank.ts'
import { goesExact } from './search.ts'
import { fromText } from './values.ts'

const SCHEMA = { category: 'string', year: 'number', published: 'boolean' } as const

describe('DS-13 filters', () => {
  it('are exact matches of the declared type; a list means either', () => {
    expect(checkFilters({ category: 'a', year: [2024, 2025, 2024], published: true }, SCHEMA)).toEqual([
      { column: 'category', values: ['a'] },
      { column: 'year', values: [2024, 2025] },
      { column: 'published', values: [true] },
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
    [{ year: 'soon' }, 'filters.year: must be a number, or a list of them'],
    [{ year: '' }, 'filters.year: must be a number, or a list of them'],
    [{ year: '0x7e8' }, 'filters.year: must be a number, or a list of them'],
    [{ year: [2024, '2025 or true'] }, 'filters.year: must be a number, or a list of them'],
    [{ year: true }, 'filters.year: must be a number, or a list of them'],
    [{ year: 9007199254740992 }, 'filters.year: a whole number beyond 2^53 cannot be read exactly as a JSON number'],
    [{ year: [1, -9007199254740992] }, 'send its digits as a string'],
    [{ year: 1e308 }, 'send its digits as a string'],
    [{ published: 'true' }, 'filters.published: must be a boolean, or a list of them'],
    [{ category: 1 }, 'filters.category: must be a string, or a list of them'],
  ])('%j is refused', (filters, message) => {
    expect(() => checkFilters(filters as never, SCHEMA)).toThrow(message)
  })

  it('of a number column take digits as text, so that numbers beyond 2^53 can be asked for', () => {
    const year = ['9007199254740993', '-1', '2024.0', '2e3', '0.5', 'NaN', 9007199254740991, 2000.5]
    expect(checkFilters({ year }, SCHEMA)).toEqual([
      { column: 'year', values: ['9007199254740993', '-1', '2024', '2000', '0.5', 'NaN', 9007199254740991, 2000.5] },
    ])
    expect(() => checkFilters({ published: '1' }, SCHEMA)).toThrow('must be a boolean')
  })

  it('with nothing filterable it says so', () => {
    expect(() => checkFilters({ a: 1 }, {})).toThrow('Filterable: none')
  })
})

describe('DS-14 one ranking', () => {
  const hit = (id: string, _score: number) => ({ id, title: null, metadata: { _score, _target: 't' } })
  const entry = (model: string, metric: 'cosine' | 'l2' = 'cosine') => ({ label: 't', model, metric })

  it('of one model and metric goes by score, ties by configured order, then id', () => {
    const found = [
      { entry: entry('m'), hits: [hit('b', 0.9), hit('d', 0.5)] },
      { entry: entry('m'), hits: [hit('c', 0.95), hit('a', 0.9), hit('e', 0.9)] },
    ]
    expect(mergeHits(found, 4).map(({ id }) => id)).toEqual(['c', 'b', 'a', 'e'])
  })

  it('of different ones goes by places, since their scores do not compare', () => {
    const found = [
      { entry: entry('m'), hits: [hit('a', 0.1), hit('b', 0.05)] },
      { entry: entry('n', 'l2'), hits: [hit('c', 0.9), hit('d', 0.8)] },
    ]
    expect(mergeHits(found, 10).map(({ id }) => id)).toEqual(['a', 'c', 'b', 'd'])
  })

  it.each([
    ['cosine', 0.25, 0.75],
    ['inner_product', -3, 3],
    ['l2', 1, 0.5],
  ] as const)('%s: a distance of %d scores %d', (metric, distance, score) => {
    expect(scoreOf(metric, distance)).toBe(score)
  })
})

describe('DS-15 the planner', () => {
  it.each([
    [0, 0, true],
    [2_000, 10_000, true],
    [2_001, 10_000, false],
    [60_000, 1_000_000, true],
    [60_001, 1_000_000, false],
  ])('%d expected of %d rows: exact is %s', (expected, rows, exact) => {
    expect(goesExact(expected, rows)).toBe(exact)
  })
})

describe('DS-10 values', () => {
  it.each([
    [null, 'text', null],
    ['abc', 'text', 'abc'],
    ['true', 'boolean', true],
    ['false', 'bool', false],
    ['42', 'integer', 42],
    ['9007199254740991', 'bigint', 9007199254740991],
    ['9007199254740993', 'bigint', '9007199254740993'],
    ['0.1', 'numeric', 0.1],
    ['0.12345678901234567890', 'numeric', '0.12345678901234567890'],
    ['NaN', 'double precision', 'NaN'],
    ['{"a": [1]}', 'jsonb', { a: [1] }],
    ['{"a": [1', 'json', '{"a": [1'],
    ['2026-01-02T03:04:05.678Z', 'timestamp with time zone', '2026-01-02T03:04:05.678Z'],
  ])('%s as %s', (text, type, value) => {
    expect(fromText(text, type)).toEqual(value)
  })
})
