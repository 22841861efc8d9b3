import { expect, it } from 'vitest'
import { calibrate } from './calibrate.ts'

/** 200 scores from `from` on, each 0.001 more than the one before. */
const scores = (from: number) => Array.from({ length: 200 }, (_, i) => Number((from + i / 1000).toFixed(3)))

it('DS-25 answerable questions are called no as rarely as promised, and foreign ones yes as rarely', () => {
  expect(calibrate({ near: scores(0.5), foreign: scores(0.4), errorRate: 0.05 })).toEqual({
    outcome: 'separated',
    // Four of 200 near questions are below, and ten foreign ones reach the other bound.
    low: 0.504,
    high: 0.59,
    error_rate: 0.05,
    near: 200,
    foreign: 200,
  })
})

it('DS-25 a smaller error rate says no more rarely', () => {
  expect(calibrate({ near: scores(0.5), foreign: scores(0.4), errorRate: 0.01 })).toMatchObject({ low: 0.5 })
  expect(calibrate({ near: scores(0.5), foreign: scores(0.4), errorRate: 0.1 })).toMatchObject({ low: 0.509 })
})

it('DS-25 a score between two kinds that never meet is neither no nor yes', () => {
  const calibration = calibrate({ near: scores(0.7), foreign: scores(0.1), errorRate: 0.05 })
  expect(calibration).toMatchObject({ low: 0.29, high: 0.704 })
})

it.each([
  ['too few rows', scores(0.5).slice(0, 99), scores(0.4), 'too_few'],
  ['too few foreign questions', scores(0.5), scores(0.4).slice(0, 99), 'too_few'],
  ['scores that are the same', scores(0.5), scores(0.5), 'not_separable'],
  ['near questions of which most score like foreign ones', scores(0.5), scores(0.42), 'not_separable'],
  ['vectors that do not fit the text', scores(0.1), scores(0.4), 'not_separable'],
])('DS-25 nothing is said about the relevance of hits with %s', (_what, near, foreign, reason) => {
  expect(calibrate({ near, foreign, errorRate: 0.05 })).toEqual({ outcome: 'unknown', reason })
})
