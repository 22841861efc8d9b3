import { expect, it } from 'vitest'
import { day, isTrue, oneOf, searchOf, text, time } from './search.ts'

const read = searchOf({ name: text(5), kind: oneOf(['a', 'b']), mine: isTrue, from: day, since: time })

it.each([
  {},
  { name: 'short', kind: 'b', mine: true, from: '2024-02-29', since: '2026-03-31T10:00:00.000Z' },
  { since: '2026-03-31T10:00:00+02:00' },
])('CO-02 an address with %j is read as it is', (search) => {
  expect(read(search)).toEqual(search)
})

it.each([
  { name: '' },
  { name: 'longer' },
  { name: 7 },
  { kind: 'c' },
  { kind: ['a'] },
  { mine: 'true' },
  { mine: false },
  { from: '2026-02-29' },
  { from: '2026-13-01' },
  { from: '2026-1-1' },
  { since: '2026-03-31' },
  { since: '2026-03-31T10:00:00' },
  { since: '2026-04-31T10:00:00Z' },
  { since: 'yesterday' },
  { other: 'a' },
])('CO-02 an address with %j, which is not understood, is read without it', (search) => {
  expect(read(search)).toEqual({})
})
