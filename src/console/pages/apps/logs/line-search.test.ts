import { expect, it } from 'vitest'
import { lineSearch, withWords } from './line-search.ts'

it('CO-09 the address of a line is the time around it', () => {
  expect(lineSearch({ id: '12', at: '2026-03-01T12:00:00.000Z' })).toEqual({
    since: '2026-03-01T11:55:00.000Z',
    until: '2026-03-01T12:05:00.000Z',
    line: '12',
  })
})

it.each([
  ['to none', undefined, 'status=200', 'status=200'],
  ['to others', 'cart', 'status=200', 'cart status=200'],
  ['once', 'cart status=200', 'status=200', 'cart status=200'],
  ['alone if all are too long', 'a'.repeat(195), 'status=200', 'status=200'],
])('CO-09 words of a field are added %s', (_, text, words, expected) => {
  expect(withWords({ text, live: true }, words)).toEqual({ text: expected, live: true })
})
