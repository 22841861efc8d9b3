import type { Querier } from '#lib/db/db.ts'
import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import { findOverride } from './quota-store.ts'

/** How many questions an organization can ask in a minute and in a day (UTC). */
export type Limits = { perMinute: number; perDay: number }

const CACHED_MS = 5_000
const MAX_CACHED_ORGS = 10_000

/** Finds the limits of an organization: the operator's override, or the defaults given here. Cached for 5 seconds. */
export function createLimits({ db, clock, perMinute, perDay }: Limits & { db: Querier; clock: Clock }) {
  const cache = createBoundedCache<string, Promise<Limits>>({ max: MAX_CACHED_ORGS, ttl: { ms: CACHED_MS, clock } })
  const load = async (orgId: string): Promise<Limits> => {
    const override = await findOverride(db, orgId)
    return { perMinute: override?.per_minute ?? perMinute, perDay: override?.per_day ?? perDay }
  }
  return {
    of: (orgId: string): Promise<Limits> => loadOnce(cache, orgId, () => load(orgId)),
    /** Drops the cached limits of an organization in this process, because they were changed. */
    forget: (orgId: string): void => cache.delete(orgId),
  }
}
