import { ServiceError } from '#contract/core/errors.ts'
import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireHeldApp } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import { endRuns } from '../claims/end.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import type { ChangedSetting } from './changes-store.ts'
import { holdOrg, lockApp, saveApp } from './store.ts'

export function appRoute({ db, clock, apps }: MaintenanceDeps): Route {
  return route(changeAppMaintenance, ({ alias, enabled }, { principal }) =>
    db.tx(async (tx) => {
      const { org_id: orgId } = principal
      const org = await holdOrg(tx, orgId)
      const app = await requireHeldApp(apps, tx, orgId, alias)
      if (enabled && !org.enabled) throw maintenanceOff()
      const before = await lockApp(tx, app.id)
      // After the locks, so that the order of times is the order of changes and decisions.
      const at = clock.now()
      await saveApp(tx, { orgId, appId: app.id, enabled, by: principal.user_id ?? principal.id, at })
      if (!enabled) await endRuns(tx, { appId: app.id }, 'fenced_app_disabled')
      const changed: ChangedSetting[] = before.enabled === enabled ? [] : ['app_switch']
      const detail = { alias, enabled, changed, person: principal.user_id }
      await auditBy(tx, principal, { action: 'maintenance.app_changed', target: app.id, detail, at })
      return { enabled }
    }),
  )
}

export function maintenanceOff(): ServiceError {
  return new ServiceError(
    'MAINTENANCE_AGENT_NOT_FOUND',
    'The maintenance agent is off in this organization. An owner or admin switches it on with PUT /api/deploy/orgs/{org_id}/maintenance-agent.',
  )
}
