import { expect, it } from 'vitest'
import { scaleTop } from './scale.ts'

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 5],
  [7, 10],
  [11, 20],
  [50, 50],
  [51, 100],
  [4_321, 5_000],
])('CO-02 an axis for %d ends at %d', (most, top) => {
  expect(scaleTop(most)).toBe(top)
})
