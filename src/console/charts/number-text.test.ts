import { expect, it } from 'vitest'
import { dayLabel } from './day-label.ts'
import { numberText, shareText } from './number-text.ts'

it.each([
  [0, '0'],
  [1_234, '1,234'],
  [10_000, '10k'],
  [12_549, '12.5k'],
  [999_999, '1M'],
  [2_000_000, '2M'],
])('CO-02 %d is written as %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})

it.each([
  [0, '0 %'],
  [0.0004, 'less than 0.1 %'],
  [0.0751, '7.5 %'],
  [1, '100 %'],
])('CO-19 a share of %d is written as %s', (share, text) => {
  expect(shareText(share)).toBe(text)
})

it('CO-02 a calendar day is the same day in every zone', () => {
  expect(dayLabel('2026-11-16')).toBe('Nov 16')
})
