import { expect, it } from 'vitest'
import { describeOutcomes } from './describe-outcomes.ts'

const bucket = (answered: number, refused: number, failed: number, unknown: number) => ({
  by_outcome: { answered, refused, failed, unknown },
})

it.each([
  [1, [bucket(1, 0, 0, 0)], '1 question, none failed'],
  [5, [bucket(3, 1, 0, 0), bucket(1, 0, 0, 0)], '5 questions, 1 refused, none failed'],
  [6, [bucket(1, 1, 1, 1), bucket(0, 0, 2, 0)], '6 questions, 1 refused, 3 failed, 1 unknown'],
])('CO-02 the home page tells refused questions from failed ones: %#', (total, buckets, text) => {
  expect(describeOutcomes(total, buckets)).toBe(text)
})
