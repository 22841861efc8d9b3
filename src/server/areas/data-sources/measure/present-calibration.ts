import type { SourcePlan } from '#contract/data-sources/search-config.ts'
import type { Calibration } from '../search/calibration.ts'

type Measured = { readonly calibration: Calibration; readonly at: Date | null }

export function presentCalibration({ calibration, at }: Measured): NonNullable<SourcePlan['relevance']> {
  const { outcome } = calibration
  const measured_at = at?.toISOString() ?? null
  if (outcome === 'unknown')
    return {
      outcome,
      reason: calibration.reason,
      low: null,
      high: null,
      error_rate: null,
      questions: 0,
      at: measured_at,
    }
  const { low, high, error_rate, near, foreign } = calibration
  return { outcome, reason: null, low, high, error_rate, questions: near + foreign, at: measured_at }
}
