import { readAgentPool } from '#contract/ai.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { currentDay } from './current-day.ts'
import { listPoolDays } from './store.ts'

type Deps = { db: Querier; clock: Clock; limit: number; timezoneOf: (orgId: string) => Promise<string> }

export function agentPoolRoute({ db, clock, limit, timezoneOf }: Deps): Route {
  return route(readAgentPool, async ({ days }, { principal: { org_id } }) => {
    const timezone = await timezoneOf(org_id)
    const now = clock.now()
    const { day } = await currentDay(db, { orgId: org_id, timezoneOf: async () => timezone, now })
    return { limit, timezone, days: await listPoolDays(db, org_id, day, days) }
  })
}
