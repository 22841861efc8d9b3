import { expect, it } from 'vitest'
import { latencyText, outcomeOf } from './outcome.ts'

it.each([
  [200, 'answered'],
  [399, 'answered'],
  [400, 'refused'],
  [429, 'refused'],
  [500, 'failed'],
  [null, 'unknown'],
] as const)('CO-02 a call with the status %s is %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome)
})

it('CO-02 durations are short', () => {
  expect([0, 999, 1000, 61_250].map(latencyText)).toEqual(['0 ms', '999 ms', '1.0 s', '61.3 s'])
})
