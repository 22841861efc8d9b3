import { listApps, readApp } from '#contract/apps/apps.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { AppDeps } from '../model/deps.ts'
import { pageApps, pageOwnApps, showApp } from '../model/store.ts'
import { presentApp } from './present.ts'

export function listRoute(deps: AppDeps): Route {
  return route(listApps, async ({ limit, cursor }, { principal }) => {
    const { org_id: orgId, user_id: userId, role } = principal
    const page = { orgId, after: readCursor(cursor), limit }
    const rows = roleAtLeast(role, 'developer')
      ? await pageApps(deps.db, page)
      : await pageOwnApps(deps.db, { ...page, userId })
    return toPage(rows, limit, (row) => presentApp(row, deps))
  })
}

export function readRoute(deps: AppDeps): Route {
  return route(readApp, async ({ alias }, { principal }) =>
    presentApp(await showApp(deps.db, principal.org_id, alias), deps),
  )
}
