import { expect, it } from 'vitest'
import { ceilingOf } from './limits.ts'

it.each([
  [1_000_000, 1, 200_000],
  [1_000_000, 20, 100_000],
  [400_000, 10, 80_000],
  [50_000, 10, 20_000],
  [0, 3, 20_000],
  [90_001, 3, 60_000],
])('MA-08 of %i tokens that are left, a run with %i apps waiting may use %i', (remaining, waiting, ceiling) => {
  expect(ceilingOf(remaining, waiting)).toBe(ceiling)
})
