import { expect, it } from 'vitest'
import type { Calibration } from './calibration.ts'
import { isRelevant, judge, relevanceOf } from './judge.ts'

const SEPARATED: Calibration = { outcome: 'separated', low: 0.3, high: 0.6, error_rate: 0.05, near: 400, foreign: 320 }
const UNKNOWN: Calibration = { outcome: 'unknown', reason: 'not_separable' }
const searched = (best: number | undefined, calibration: Calibration = SEPARATED) => ({ calibration, best })

it.each([
  [0.29, 'unlikely'],
  [0.3, 'possible'],
  [0.59, 'possible'],
  [0.6, 'likely'],
])('DS-25 a hit with the score %d is %s', (score, relevance) => {
  expect(relevanceOf(score, SEPARATED)).toBe(relevance)
  expect(relevanceOf(score, UNKNOWN)).toBe('unknown')
})

it.each([
  ['the best hit is likely', [searched(0.7)], 'yes'],
  ['the best hit is possible', [searched(0.4)], 'unsure'],
  ['the best hit is unlikely', [searched(0.2)], 'no'],
  ['no row was found', [searched(undefined)], 'no'],
  ['one of two entries answers', [searched(0.2), searched(0.7)], 'yes'],
  ['one of two entries may answer', [searched(0.2), searched(0.4)], 'unsure'],
  ['one entry answers and the other is not known', [searched(0.7), searched(0.9, UNKNOWN)], 'yes'],
])('DS-25 where %s, the verdict has the error rate that it was calibrated to', (_what, entries, answerable) => {
  expect(judge(entries)).toEqual({ answerable, answerable_error_rate: 0.05 })
})

it.each([
  ['nothing is known', [searched(0.9, UNKNOWN)]],
  ['an entry that is not known could answer', [searched(0.2), searched(0.9, UNKNOWN)]],
  ['no entry was searched', []],
])('DS-25 where %s, the verdict is unknown', (_what, entries) => {
  expect(judge(entries)).toEqual({ answerable: 'unknown' })
})

it('DS-25 a verdict of several entries has the highest of their error rates', () => {
  expect(judge([searched(0.2), searched(0.2, { ...SEPARATED, error_rate: 0.1 })])).toEqual({
    answerable: 'no',
    answerable_error_rate: 0.1,
  })
})

it('DS-25 a minimum leaves out less relevant hits, and never one that is not known', () => {
  const all = ['likely', 'possible', 'unlikely', 'unknown'] as const
  expect(all.filter((relevance) => isRelevant(relevance, 'possible'))).toEqual(['likely', 'possible', 'unknown'])
  expect(all.filter((relevance) => isRelevant(relevance, 'likely'))).toEqual(['likely', 'unknown'])
})
