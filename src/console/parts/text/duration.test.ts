import { expect, it } from 'vitest'
import { durationText, tookText } from './duration.ts'

it.each([
  [0, '0 s'],
  [0.0004, '1 ms'],
  [0.038, '38 ms'],
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

it('CO-03 what has not begun or not ended took no time yet', () => {
  expect(tookText('2026-01-31T12:00:00Z', '2026-01-31T12:01:05Z')).toBe(durationText(65))
  expect([tookText(null, '2026-01-31T12:00:00Z'), tookText('2026-01-31T12:00:00Z', null)]).toEqual([null, null])
})
