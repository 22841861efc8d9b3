import { setQuota } from '#contract/activity.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { audit } from '#ports/audit.ts'
import type { createLimits } from './limits.ts'
import { setOverride } from './quota-store.ts'

type Deps = { db: Db; clock: Clock; limits: ReturnType<typeof createLimits> }

export function setQuotaRoute({ db, clock, limits }: Deps): Route {
  return route(setQuota, async ({ org_id, ...override }) => {
    await db.tx(async (tx) => {
      await setOverride(tx, org_id, override)
      const detail = { ...override }
      await audit(tx, { org_id, actor: 'operator', action: 'quota.set', target: org_id, detail, at: clock.now() })
    })
    limits.forget(org_id)
    const { perMinute, perDay } = await limits.of(org_id)
    return { org_id, per_minute: perMinute, per_day: perDay }
  })
}
