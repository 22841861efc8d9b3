import { listCheckRuns, listChecks, readCheck, readCheckRun } from '#contract/checks/checks.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import type { CheckDeps } from './deps.ts'
import { presentCheck, presentRun } from './present.ts'
import { pageRuns, requireRun } from './runs-store.ts'
import { pageChecks, requireCheck } from './store.ts'

export function readRoutes(deps: CheckDeps): Route[] {
  const { db } = deps
  return [
    route(listChecks, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(deps.apps, principal.org_id, alias)
      const rows = await pageChecks(db, app.id, { before: readCursor(cursor), limit })
      return toPage(rows, limit, presentCheck)
    }),
    route(readCheck, async ({ alias, check }, { principal }) => {
      const app = await requireApp(deps.apps, principal.org_id, alias)
      return presentCheck(await requireCheck(db, app.id, check))
    }),
    route(listCheckRuns, async ({ alias, check, limit, cursor }, { principal }) => {
      const app = await requireApp(deps.apps, principal.org_id, alias)
      const { id } = await requireCheck(db, app.id, check)
      return toPage(await pageRuns(db, id, { before: readCursor(cursor), limit }), limit, presentRun)
    }),
    route(readCheckRun, async ({ alias, check, run_id }, { principal }) => {
      const app = await requireApp(deps.apps, principal.org_id, alias)
      const { id } = await requireCheck(db, app.id, check)
      return presentRun(await requireRun(db, id, run_id))
    }),
  ]
}
