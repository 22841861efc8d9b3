import { countRequests } from '#contract/apps/series.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { type Route, route } from '#edge/route/route.ts'
import { everyBucket } from '#edge/route/series-buckets.ts'
import type { AppDeps } from '../model/deps.ts'
import { type HourRow, readHours } from './store.ts'

const HOURS = 24
const HOUR_SECONDS = 3600

export function countRoute({ db, clock }: Pick<AppDeps, 'db' | 'clock'>): Route {
  return route(countRequests, async (_, { principal }) => {
    const { org_id: orgId, user_id: userId, role } = principal
    const which = roleAtLeast(role, 'developer') ? 'all' : { userId }
    const time = lastHours(clock.now())
    const byApp = Map.groupBy(await readHours(db, { orgId, which }, time), ({ app_id }) => app_id)
    const items = [...byApp].map(([app_id, rows]) => ({ app_id, hours: everyBucket(rows, time, toHour) }))
    return { items }
  })
}

/** Whole hours, to the end of the one that has begun. */
function lastHours(now: Date) {
  const ms = HOUR_SECONDS * 1000
  const until = new Date(Math.floor(now.getTime() / ms) * ms + ms)
  return { from: new Date(until.getTime() - HOURS * ms), until, seconds: HOUR_SECONDS }
}

function toHour(at: string, [row]: readonly HourRow[]) {
  return { at, requests: row?.requests ?? null, failed: row?.failed ?? null }
}
