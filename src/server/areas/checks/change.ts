import type { z } from 'zod'
import { changeCheck, deleteCheck } from '#contract/checks/checks.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import { refuseTaken, refuseUnknownModel } from './create.ts'
import type { CheckDeps } from './deps.ts'
import { presentCheck } from './present.ts'
import { dropWaiting } from './runs-store.ts'
import { firstSlot } from './schedule.ts'
import { type CheckRow, lockCheck, lockNames, removeCheck, requireCheck, updateCheck } from './store.ts'

export function changeRoute(deps: CheckDeps): Route {
  const { db, clock } = deps
  return route(changeCheck, async ({ alias, check: idOrName, ...given }, { principal }) => {
    if (given.definition) refuseUnknownModel(deps, given.definition)
    const app = await requireApp(deps.apps, principal.org_id, alias)
    const { id } = await requireCheck(db, app.id, idOrName)
    const now = clock.now()
    const row = await db.tx(async (tx) => {
      await lockNames(tx, app.id)
      const former = await lockCheck(tx, id)
      if (given.name !== undefined) await refuseTaken(tx, app.id, given.name, id)
      const changed = await updateCheck(tx, withChange(former, given, now))
      if (!changed.enabled) await dropWaiting(tx, id)
      const detail = { alias: app.alias, name: changed.name }
      await auditBy(tx, principal, { action: 'check.changed', target: id, detail, at: now })
      return changed
    })
    return presentCheck(row)
  })
}

type CheckChange = Omit<z.output<typeof changeCheck.input>, 'alias' | 'check'>

/** A change of what or when is run, or of the threshold, lets runs that began before it not count any more. */
function withChange(former: CheckRow, given: CheckChange, now: Date): CheckRow {
  const { definition = former.definition, schedule = former.schedule, threshold = former.threshold } = given
  const { name = former.name, enabled = former.enabled } = given
  const isSameRun = given.definition === undefined && given.threshold === undefined && enabled === former.enabled
  const keepsSlot = given.schedule === undefined && former.next_at !== null
  return {
    ...former,
    name,
    definition,
    schedule,
    threshold,
    enabled,
    version: isSameRun ? former.version : former.version + 1,
    next_at: enabled ? (keepsSlot ? former.next_at : firstSlot(schedule, now)) : null,
  }
}

export function deleteRoute(deps: CheckDeps): Route {
  const { db, clock } = deps
  return route(deleteCheck, async ({ alias, check: idOrName }, { principal }) => {
    const app = await requireApp(deps.apps, principal.org_id, alias)
    const { id } = await requireCheck(db, app.id, idOrName)
    await db.tx(async (tx) => {
      const check = await lockCheck(tx, id)
      await removeCheck(tx, id)
      const detail = { alias: app.alias, name: check.name }
      await auditBy(tx, principal, { action: 'check.deleted', target: id, detail, at: clock.now() })
    })
    return { id, deleted: true as const }
  })
}
