import { notFound, ServiceError } from '#contract/core/errors.ts'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '#contract/core/limits.ts'
import { startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import { findRun, findRunByKey, insertRun, type NewRun } from '../claims/store.ts'
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
      const app = await apps.hold(tx, orgId, alias)
      if (!app) throw notFound('app')
      const first = key === null ? undefined : await findRunByKey(tx, app.id, key)
      if (first) return first
      if (!enabled || model === null) throw maintenanceOff()
      if (!(await holdApp(tx, app.id)).enabled) throw appOff(alias)
      const wanted: NewRun = {
        id: newId('exe'),
        orgId,
        appId: app.id,
        mode,
        model,
        key,
        requestedBy: principal.user_id,
        dueBy: null,
        slotAt: null,
        at: clock.now(),
      }
      if (await insertRun(tx, wanted, null)) return findRun(tx, app.id, wanted.id)
      // Another start took the app or the key in this moment.
      const replayed = key === null ? undefined : await findRunByKey(tx, app.id, key)
      if (replayed) return replayed
      await insertRun(tx, wanted, 'held_by_other')
      return findRun(tx, app.id, wanted.id)
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
