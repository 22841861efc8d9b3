import { listApps, readApp } from '#contract/apps/apps.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { AppDeps } from '../model/deps.ts'
import { pageApps, showApp } from '../model/store.ts'
import { presentApp } from './present.ts'

export function listRoute(deps: AppDeps): Route {
  return route(listApps, async ({ limit, cursor }, { principal }) => {
    const { org_id: orgId, user_id: userId, role } = principal
    const which = roleAtLeast(role, 'developer') ? 'all' : { userId }
    const rows = await pageApps(deps.db, orgId, which, { before: readCursor(cursor), limit })
    return toPage(rows, limit, (row) => presentApp(row, deps))
  })
}

export function readRoute(deps: AppDeps): Route {
  return route(readApp, async ({ alias }, { principal }) =>
    presentApp(await showApp(deps.db, principal.org_id, alias), deps),
  )
}
