import { describe, expect, it } from 'vitest'
import { fromText } from '../answer/values.ts'
import { checkFilters } from '../search/filters.ts'
import { mergeHits, scoreOf } from '../search/merge.ts'
import { goesExact } from '../search/search-entry.ts'

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

  it('of one model and metric goes by score, ties by configured order, then as the database ordered them', () => {
    const found = [
      { entry: entry('m'), hits: [hit('b', 0.9), hit('d', 0.5)] },
      { entry: entry('m'), hits: [hit('c', 0.95), hit('9', 0.9), hit('10', 0.9)] },
    ]
    expect(mergeHits(found, 4).map(({ id }) => id)).toEqual(['c', 'b', '9', '10'])
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

const [BOOL, INT8, INT4, TEXT, JSON_TYPE, FLOAT8, TIMESTAMP, TIMESTAMPTZ, NUMERIC, JSONB] = [
  16, 20, 23, 25, 114, 701, 1114, 1184, 1700, 3802,
]

describe('DS-10 values', () => {
  it.each([
    [null, TEXT, null],
    ['abc', TEXT, 'abc'],
    ['true', BOOL, true],
    ['false', BOOL, false],
    ['true', TEXT, 'true'],
    ['42', INT4, 42],
    ['9007199254740991', INT8, 9007199254740991],
    ['9007199254740993', INT8, '9007199254740993'],
    ['0.1', NUMERIC, 0.1],
    ['0.12345678901234567890', NUMERIC, '0.12345678901234567890'],
    ['NaN', FLOAT8, 'NaN'],
    ['{"a": [1]}', JSONB, { a: [1] }],
    ['{"a": [1', JSON_TYPE, '{"a": [1'],
    ['{"n": 12345678901234567890}', JSONB, { n: '12345678901234567890' }],
    ['[1e400, 1e-400, -1e400, 1E2, 0.5]', JSON_TYPE, ['1e400', '1e-400', '-1e400', 100, 0.5]],
    ['9007199254740993', JSONB, '9007199254740993'],
    ['{"s": "12345678901234567890 1e400", "n": 1}', JSONB, { s: '12345678901234567890 1e400', n: 1 }],
    ['2026-01-02 03:04:05.678901+00', TIMESTAMPTZ, '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05+05:30', TIMESTAMPTZ, '2026-01-01T21:34:05.000Z'],
    ['1880-01-01 00:00:00-00:53:28', TIMESTAMPTZ, '1880-01-01T00:53:28.000Z'],
    ['2026-01-02 03:04:05.6', TIMESTAMP, '2026-01-02T03:04:05.600Z'],
    ['0001-01-01 00:00:00', TIMESTAMP, '0001-01-01T00:00:00.000Z'],
    ['0001-01-01 00:00:00+01', TIMESTAMPTZ, '0001-01-01 00:00:00+01'],
    ['9999-12-31 23:59:59-01', TIMESTAMPTZ, '9999-12-31 23:59:59-01'],
    ['10000-01-01 00:00:00', TIMESTAMP, '10000-01-01 00:00:00'],
    ['infinity', TIMESTAMPTZ, 'infinity'],
    ['-infinity', TIMESTAMP, '-infinity'],
    ['0044-03-15 00:00:00+00 BC', TIMESTAMPTZ, '0044-03-15 00:00:00+00 BC'],
    ['2026-01-02 03:04:05', TEXT, '2026-01-02 03:04:05'],
  ])('%s as the type %i', (text, type, value) => {
    expect(fromText(text, type)).toEqual(value)
  })

  it('a key that names a prototype is a key of the data', () => {
    const value = fromText('{"__proto__": {"a": 12345678901234567890}}', JSONB) as object
    expect(Object.entries(value)).toEqual([['__proto__', { a: '12345678901234567890' }]])
  })
})
