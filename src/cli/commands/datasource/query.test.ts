import { expect, it } from 'vitest'
import { toFilters, toLines } from './query.ts'

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

const cli = { strong: (text: string) => text }
const results = [{ id: '1', title: 'Pay day', metadata: { _score: 0.11, _target: 'articles', _relevance: 'unlikely' } }]

it('DS-25 svc datasource query prints that a source has nothing about the question, and how relevant a hit is', () => {
  expect(toLines({ count: 1, answerable: 'no', answerable_error_rate: 0.05, results }, cli)).toEqual([
    '1 hit',
    'This source has nothing about the question: all hits are less similar than rows that answer one.',
    '',
    'Pay day (1)',
    '  0.110  articles  unlikely',
  ])
  expect(toLines({ count: 1, answerable: 'unsure', results }, cli)[1]).toBe(
    'These hits may not answer the question: read them before you rely on them.',
  )
})

it('DS-25 svc datasource query prints nothing of relevance where it is yes or not known', () => {
  const { _relevance, ...metadata } = results[0]!.metadata
  const unknown = [{ ...results[0]!, metadata: { ...metadata, _relevance: 'unknown' } }]
  const plain = ['1 hit', '', 'Pay day (1)', '  0.110  articles']
  expect(toLines({ count: 1, answerable: 'unknown', results: unknown }, cli)).toEqual(plain)
  expect(toLines({ count: 1, results: [{ ...results[0]!, metadata }] }, cli)).toEqual(plain)
  expect(toLines({ count: 0, answerable: 'yes', results: [] }, cli)).toEqual(['0 hits'])
})
