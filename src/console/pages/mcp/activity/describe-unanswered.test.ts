import { expect, it } from 'vitest'
import { describeUnanswered, outcomeParts, shareNotes } from './describe-unanswered.ts'

const bucket = (answered: number, refused = 0, failed = 0, unknown = 0) => ({
  total: answered + refused + failed + unknown,
  by_outcome: { answered, refused, failed, unknown },
})

it.each([
  [[bucket(0)], '0 questions, none without an answer'],
  [[bucket(1)], '1 question, none without an answer'],
  [[bucket(100, 2), bucket(11, 0, 7)], '120 questions, 9 without an answer (7.5 %)'],
  [[bucket(9_990, 0, 1), bucket(8, 0, 0, 1)], '10k questions, 1 without an answer (less than 0.1 %), 1 unknown'],
])('CO-19 the questions %j are summed up', (buckets, text) => {
  expect(describeUnanswered(buckets)).toBe(text)
})

it('CO-19 results that no question had are left out, and each part of the time has its share', () => {
  const buckets = [bucket(3, 1), bucket(0), bucket(1, 0, 0, 1)]
  expect(outcomeParts(buckets).map(({ label, values }) => [label, ...values])).toEqual([
    ['Refused', 1, 0, 0],
    ['Unknown', 0, 0, 1],
    ['Answered', 3, 0, 1],
  ])
  expect(shareNotes(buckets).values).toEqual(['25 %', 'none', '0 %'])
})
