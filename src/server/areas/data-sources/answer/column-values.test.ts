import { describe, expect, it } from 'vitest'
import { columnValue } from './column-values.ts'

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
    expect(columnValue(text, type)).toEqual(value)
  })

  it('a key that names a prototype is a key of the data', () => {
    const value = columnValue('{"__proto__": {"a": 12345678901234567890}}', JSONB) as object
    expect(Object.entries(value)).toEqual([['__proto__', { a: '12345678901234567890' }]])
  })
})
