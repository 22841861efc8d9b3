import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import { findOverride } from './quota-store.ts'

export type Limits = { perMinute: number; perDay: number }

const KEPT_MS = 5_000
const KEPT_ORGS = 10_000

/** What each organization may ask, kept for a moment: an operator changes it seldom, and questions are many. */
export function createLimits({ db, clock, perMinute, perDay }: Limits & { db: Querier; clock: Clock }) {
  const kept = new Map<string, Limits & { until: number }>()
  return {
    of: async (orgId: string): Promise<Limits> => {
      const now = clock.now().getTime()
      const known = kept.get(orgId)
      if (known && known.until > now) return known
      const override = await findOverride(db, orgId)
      const limits = { perMinute: override?.per_minute ?? perMinute, perDay: override?.per_day ?? perDay }
      if (kept.size >= KEPT_ORGS) kept.clear()
      kept.set(orgId, { ...limits, until: now + KEPT_MS })
      return limits
    },
    forget: (orgId: string): void => void kept.delete(orgId),
  }
}
