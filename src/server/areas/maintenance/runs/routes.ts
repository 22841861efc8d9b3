import { notFound } from '#contract/core/errors.ts'
import { listMaintenanceRuns, readMaintenance, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import { findRun, pageRuns } from '../claims/store.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { maintenanceOff } from '../settings/app.ts'
import { readApp, readOrg } from '../settings/store.ts'
import { presentRun } from './present.ts'

export function runRoutes({ db, apps }: MaintenanceDeps): Route[] {
  const needApp = async (orgId: string, alias: string) => {
    const app = await apps.find(orgId, alias)
    if (!app) throw notFound('app')
    return app
  }
  return [
    route(readMaintenance, async ({ alias }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const org = await readOrg(db, principal.org_id)
      if (!org.enabled) throw maintenanceOff()
      const [last] = await pageRuns(db, { appId: app.id, after: null, limit: 1 })
      return { settings: { ...org, ...(await readApp(db, app.id)) }, last_run: last ? presentRun(last) : null }
    }),
    route(listMaintenanceRuns, async ({ alias, limit, cursor }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      return toPage(await pageRuns(db, { appId: app.id, after: readCursor(cursor), limit }), limit, presentRun)
    }),
    route(readMaintenanceRun, async ({ alias, execution_id }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const run = await findRun(db, app.id, execution_id)
      if (!run) throw notFound('maintenance run')
      return presentRun(run)
    }),
  ]
}
