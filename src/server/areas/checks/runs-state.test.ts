import { expect, it } from 'vitest'
import { stateOfRuns } from './runs-state.ts'

// biome-ignore format: the columns are the point
it.each([
  // runs passed failed errors
  [0,  0,  0,  0, null],
  [1,  1,  0,  0, 'pass'],
  [31, 31, 0,  0, 'pass'],
  [31, 30, 1,  0, 'mixed'],
  [31, 30, 0,  1, 'mixed'],
  [31, 30, 0,  0, 'mixed'],
  [31, 16, 15, 0, 'mixed'],
  [30, 15, 15, 0, 'fail'],
  [31, 15, 16, 0, 'fail'],
  [1,  0,  1,  0, 'fail'],
  [2,  0,  1,  1, 'fail'],
  [3,  0,  1,  2, 'error'],
  [3,  0,  1,  1, 'error'],
  [3,  0,  1,  0, 'indeterminate'],
  [1,  0,  0,  0, 'indeterminate'],
] as const)('CO-16 of %d runs %d passed, %d failed and %d could not run: %s', (runs, passed, failed, errors, state) => {
  expect(stateOfRuns({ runs, passed, failed, errors })).toBe(state)
})
