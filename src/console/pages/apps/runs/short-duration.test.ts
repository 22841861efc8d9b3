import { expect, it } from 'vitest'
import { shortDuration } from './short-duration.ts'

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [12_345, '12.3 s'],
  [60_000, '1 min'],
  [200_000, '3.3 min'],
  [3_600_000, '1 h'],
  [10_000_000, '2.8 h'],
])('CO-16 a run of %d ms is said to have taken %s', (ms, text) => {
  expect(shortDuration(ms)).toBe(text)
})
