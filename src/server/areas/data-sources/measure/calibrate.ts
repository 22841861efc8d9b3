import type { ErrorRate } from '#contract/data-sources/relevance.ts'
import { type Calibration, unknown } from '../search/calibration.ts'

/** Scores of questions whose answer is known: those that a row answers, and those that no row answers. */
type Samples = {
  /** The score of each near question with the row that it was made from. */
  readonly near: readonly number[]
  /** The best score of each foreign question. */
  readonly foreign: readonly number[]
  /** Share of answerable questions that may be called `no`. */
  readonly errorRate: ErrorRate
}

/** Fewer questions of a kind say too little of what others of that kind reach. */
export const MIN_QUESTIONS = 100
/**
 * Questions of people are less similar to the row that answers them than questions made of its words. Of 264 written by
 * hand for 30,000 package descriptions 0.07 scored below 0.467, and of a sample of 150 made ones 0.05. So half of the error
 * rate is left to the difference and to the chance of the sample.
 */
const NEAR_SHARE = 0.5
/** Share of foreign questions that may be called `yes`. */
const FOREIGN_RATE = 0.05
/** Where fewer near questions stand out from the foreign ones, scores do not tell the two apart. */
const MIN_SEPARATED_SHARE = 0.5

/**
 * Learns two scores from questions of both kinds. Below `low` are few enough near questions for the error
 * rate; at or above `high` as few foreign ones as FOREIGN_RATE allows. Each bound is a conformal quantile: the share of n + 1, so that
 * the rates hold for the next question too and not only for those that were seen.
 */
export function calibrate({ near, foreign, errorRate }: Samples): Calibration {
  if (near.length < MIN_QUESTIONS || foreign.length < MIN_QUESTIONS) return unknown('too_few')
  const nearBound = lowerBound(near, NEAR_SHARE * errorRate)
  const foreignBound = upperBound(foreign, FOREIGN_RATE)
  if (nearBound === undefined || foreignBound === undefined) return unknown('too_few')
  const standOut = near.filter((score) => score >= foreignBound).length
  if (standOut < MIN_SEPARATED_SHARE * near.length) return unknown('not_separable')
  return {
    outcome: 'separated',
    // Where no score is reached by both kinds, what lies between them is neither.
    low: Math.min(nearBound, foreignBound),
    high: Math.max(nearBound, foreignBound),
    error_rate: errorRate,
    near: near.length,
    foreign: foreign.length,
  }
}

/** The score that at most this share is below. Returns undefined if there are too few scores to know. */
function lowerBound(scores: readonly number[], share: number): number | undefined {
  return scores.toSorted((a, b) => a - b)[Math.floor(share * (scores.length + 1)) - 1]
}

/** The score that at most this share reaches. */
function upperBound(scores: readonly number[], share: number): number | undefined {
  const highest = lowerBound(
    scores.map((score) => -score),
    share,
  )
  return highest === undefined ? undefined : -highest
}
