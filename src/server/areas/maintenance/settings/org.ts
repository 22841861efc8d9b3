import { ServiceError } from '#contract/core/errors.ts'
import { changeOrgMaintenance, type OrgMaintenance, readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import { endRuns } from '../claims/end.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import type { ChangedSetting } from './changes-store.ts'
import { refuseUnusable } from './refuse-unusable.ts'
import { lockOrg, readOrg, saveOrg, switchOffApps } from './store.ts'

export function orgRoutes({ db, clock, models }: MaintenanceDeps): Route[] {
  return [
    route(readOrgMaintenance, ({ org_id }) => readOrg(db, org_id)),
    route(changeOrgMaintenance, async ({ org_id, ...change }, { principal }) => {
      refuseUnusable(change, models)
      const by = principal.user_id ?? principal.id
      return db.tx(async (tx) => {
        const before = await lockOrg(tx, org_id, { by, at: clock.now() })
        // After the lock, so that the order of times is the order of changes and decisions.
        const who = { by, at: clock.now() }
        const settings = apply(before, change)
        await saveOrg(tx, org_id, settings, who)
        if (!settings.enabled) {
          await switchOffApps(tx, org_id, who)
          await endRuns(tx, { orgId: org_id }, 'fenced_org_disabled')
        }
        const detail = { ...settings, changed: changesOf(before, settings), person: principal.user_id }
        await auditBy(tx, principal, { action: 'maintenance.org_changed', target: org_id, detail, at: who.at })
        return settings
      })
    }),
  ]
}

type Change = { [K in keyof OrgMaintenance]?: OrgMaintenance[K] | undefined }

function apply(before: OrgMaintenance, change: Change): OrgMaintenance {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const settings: OrgMaintenance = { ...before, ...given }
  if (settings.enabled && settings.model === null) {
    const message = 'Name the model when maintenance is enabled for the first time, for example builtin/detectors.'
    throw new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'model', message }] })
  }
  return settings
}

function changesOf(before: OrgMaintenance, after: OrgMaintenance): ChangedSetting[] {
  const isMoved = (['nightly_cron', 'timezone', 'cooldown_hours'] as const).some((key) => before[key] !== after[key])
  return [
    ...(isMoved ? (['schedule'] as const) : []),
    ...(before.model === after.model ? [] : (['model'] as const)),
    ...(before.enabled === after.enabled ? [] : (['organization_switch'] as const)),
  ]
}
