import { readAgentPool } from '#contract/ai.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { currentDay } from './current-day.ts'
import { listAppSpending, listPoolDays } from './store.ts'

const MAX_APPS = 10

/** Returns a query for the `id` and the `app_id` of the checks and maintenance runs of the organization. */
export type SelectAgents = (orgId: string) => Sql

type Deps = {
  db: Querier
  clock: Clock
  limit: number
  timezoneOf: (orgId: string) => Promise<string>
  apps: Pick<AppDirectory, 'names'>
  selectAgents: SelectAgents
}

export function agentPoolRoute(deps: Deps): Route {
  const { db, clock, limit, timezoneOf } = deps
  return route(readAgentPool, async ({ days: count }, { principal: { org_id } }) => {
    const timezone = await timezoneOf(org_id)
    const now = clock.now()
    const { day } = await currentDay(db, { orgId: org_id, timezoneOf: async () => timezone, now })
    const days = await listPoolDays(db, org_id, day, count)
    return { limit, timezone, days, apps: await nameSpenders(deps, org_id, days[0]!.day) }
  })
}

/** Tokens of checks and apps that do not exist any more are one entry. */
async function nameSpenders({ db, apps, selectAgents }: Deps, orgId: string, first: string) {
  const rows = await listAppSpending(db, { orgId, first, agents: selectAgents(orgId), limit: MAX_APPS })
  const names = await apps.names(
    orgId,
    rows.flatMap(({ app_id }) => app_id ?? []),
  )
  const named = Map.groupBy(rows, ({ app_id }) => (app_id === null ? undefined : names.get(app_id)))
  return [...named].map(([app, spent]) => ({
    app: app ? { alias: app.alias, name: app.name } : null,
    checks: spent.reduce((sum, { checks }) => sum + checks, 0),
    maintenance: spent.reduce((sum, { maintenance }) => sum + maintenance, 0),
  }))
}
