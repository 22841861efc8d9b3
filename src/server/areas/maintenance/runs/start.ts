import { ServiceError } from '#contract/core/errors.ts'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '#contract/core/limits.ts'
import { startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireHeldApp } from '#ports/apps.ts'
import { findRun, insertRun, type NewRun } from '../claims/store.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { maintenanceOff } from '../settings/app.ts'
import { holdApp, holdOrg } from '../settings/store.ts'
import { presentRun } from './present.ts'

export function startRoute({ db, clock, apps }: MaintenanceDeps): Route {
  return route(startMaintenanceRun, async ({ alias, mode }, { principal, request }) => {
    const { org_id: orgId } = principal
    const key = readKey(request)
    const run = await db.tx(async (tx) => {
      const { enabled, model } = await holdOrg(tx, orgId)
      const app = await requireHeldApp(apps, tx, orgId, alias)
      const first = key === null ? undefined : await findRun(tx, app.id, { key })
      if (first) return first
      if (!enabled || model === null) throw maintenanceOff()
      if (!(await holdApp(tx, app.id)).enabled) throw appOff(alias)
      const newRun: NewRun = {
        id: newId('exe'),
        orgId,
        appId: app.id,
        mode,
        model,
        key,
        requestedBy: principal.user_id,
        at: clock.now(),
      }
      if (await insertRun(tx, newRun, null)) return findRun(tx, app.id, newRun)
      // Another start took the app or the key in this moment.
      const replayed = key === null ? undefined : await findRun(tx, app.id, { key })
      if (replayed) return replayed
      await insertRun(tx, newRun, 'held_by_other')
      return findRun(tx, app.id, newRun)
    })
    if (run!.mode !== mode) throw keyReused()
    return presentRun(run!)
  })
}

/** The key is the run's own: it never expires, and answers with the run as it is now, also while it runs. */
function readKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || (key !== '' && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH)) return key
  throw new ServiceError('INVALID_REQUEST', `Idempotency-Key: must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`)
}

function appOff(alias: string): ServiceError {
  return new ServiceError(
    'MAINTENANCE_APP_DISABLED',
    `The maintenance agent is off for ${alias}. An owner or admin switches it on: svc apps maintenance enable ${alias} --yes`,
  )
}

function keyReused(): ServiceError {
  return new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was already used for a run of another mode. Use a new key.',
  )
}
