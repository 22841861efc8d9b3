import { expect, it } from 'vitest'
import { durationText } from './duration.ts'

it.each([
  [0, '0 s'],
  [0.449, '0.4 s'],
  [9.94, '9.9 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [12_000, '3 h 20 min'],
])('CO-03 %d seconds are shown as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
