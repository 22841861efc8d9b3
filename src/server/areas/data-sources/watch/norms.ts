/** Numbers of vectors by the distance of their length from 1. */
export type NormCounts = {
  /** Below 0.002: normalised, also after rounding to a `halfvec`. */
  readonly at_one: number
  /** Below 0.02 */
  readonly near_one: number
  /** From 0.05 on */
  readonly off_one: number
}

export const NORMALISED = 0.002
export const NEAR_NORMALISED = 0.02
export const RAW = 0.05

const MIN_OF_EACH = 3
/** `near_one` is this many times as wide as `at_one`. */
const WIDTHS = 9

/**
 * Finds normalised beside raw vectors. Returns which of them are fewer and how many, or undefined if there is no mixture.
 * Raw vectors can have any length, also near 1, so the normalised ones must be far more than their neighbourhood lets
 * expect.
 */
export function judgeNorms(counts: NormCounts): { fewer: 'normalised' | 'raw'; rows: number } | undefined {
  const { at_one, near_one, off_one } = counts
  const expected = near_one / WIDTHS
  const isSpike = at_one >= MIN_OF_EACH + 4 * expected && near_one <= Math.max(at_one, off_one)
  if (!isSpike || off_one < MIN_OF_EACH) return undefined
  return at_one < off_one ? { fewer: 'normalised', rows: at_one } : { fewer: 'raw', rows: off_one }
}
