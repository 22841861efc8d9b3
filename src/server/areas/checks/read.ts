import { listCheckRuns, listChecks, readCheck, readCheckRun } from '#contract/checks/checks.ts'
import { notFound } from '#contract/core/errors.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { CheckDeps } from './deps.ts'
import { presentCheck, presentRun } from './present.ts'
import { requireApp } from './require-app.ts'
import { findRun, pageRuns } from './runs-store.ts'
import { pageChecks, requireCheck } from './store.ts'

export function readRoutes(deps: CheckDeps): Route[] {
  const { db } = deps
  return [
    route(listChecks, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(deps, principal.org_id, alias)
      const rows = await pageChecks(db, { appId: app.id, after: readCursor(cursor), limit })
      return toPage(rows, limit, presentCheck)
    }),
    route(readCheck, async ({ alias, check }, { principal }) => {
      const app = await requireApp(deps, principal.org_id, alias)
      return presentCheck(await requireCheck(db, app.id, check))
    }),
    route(listCheckRuns, async ({ alias, check, limit, cursor }, { principal }) => {
      const app = await requireApp(deps, principal.org_id, alias)
      const { id } = await requireCheck(db, app.id, check)
      return toPage(await pageRuns(db, { checkId: id, after: readCursor(cursor), limit }), limit, presentRun)
    }),
    route(readCheckRun, async ({ alias, check, run_id }, { principal }) => {
      const app = await requireApp(deps, principal.org_id, alias)
      const { id } = await requireCheck(db, app.id, check)
      const run = await findRun(db, id, run_id)
      if (!run) throw notFound('run')
      return presentRun(run)
    }),
  ]
}
