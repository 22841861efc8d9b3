import { notFound } from '#contract/core/errors.ts'
import { listMaintenanceRuns, readMaintenance, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import { findRun, pageRuns } from '../claims/store.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { maintenanceOff } from '../settings/app.ts'
import { readApp, readOrg } from '../settings/store.ts'
import { presenterOf } from './present.ts'

export function runRoutes({ db, apps }: MaintenanceDeps): Route[] {
  return [
    route(readMaintenance, async ({ alias }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const org = await readOrg(db, principal.org_id)
      if (!org.enabled) throw maintenanceOff()
      const [last] = await pageRuns(db, { appId: app.id, after: null, limit: 1 })
      const present = await presenterOf(db, last ? [last] : [])
      return { settings: { ...org, ...(await readApp(db, app.id)) }, last_run: last ? present(last) : null }
    }),
    route(listMaintenanceRuns, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const rows = await pageRuns(db, { appId: app.id, after: readCursor(cursor), limit })
      return toPage(rows, limit, await presenterOf(db, rows))
    }),
    route(readMaintenanceRun, async ({ alias, execution_id }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const run = await findRun(db, app.id, { id: execution_id })
      if (!run) throw notFound('maintenance run')
      return (await presenterOf(db, [run]))(run)
    }),
  ]
}
