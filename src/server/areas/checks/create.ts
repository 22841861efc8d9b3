import { createCheck, MAX_CHECKS_PER_APP } from '#contract/checks/checks.ts'
import type { CheckDefinition, CheckSchedule } from '#contract/checks/definition.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { requireApp, requireHeldApp } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import type { CheckDeps } from './deps.ts'
import { presentCheck } from './present.ts'
import { firstSlot } from './schedule.ts'
import { countChecks, insertCheck, isNameTaken, lockNames } from './store.ts'

export function createRoute(deps: CheckDeps): Route {
  const { db, clock, apps } = deps
  return route(createCheck, async ({ alias, name, definition, threshold, ...given }, { principal }) => {
    const schedule = given.schedule ?? defaultSchedule(definition)
    refuseUnknownModel(deps, definition)
    const app = await requireApp(deps.apps, principal.org_id, alias)
    const now = clock.now()
    const check = {
      id: newId('chk'),
      org_id: principal.org_id,
      app_id: app.id,
      name,
      definition,
      schedule,
      threshold,
      next_at: firstSlot(schedule, now),
      created_by: principal.user_id ?? principal.id,
      created_at: now,
    }
    const created = await db.tx(async (tx) => {
      await requireHeldApp(apps, tx, principal.org_id, app.id)
      await lockNames(tx, app.id)
      await refuseTaken(tx, app.id, name, null)
      if ((await countChecks(tx, app.id)) >= MAX_CHECKS_PER_APP) throw tooMany()
      const row = await insertCheck(tx, check)
      const detail = { alias: app.alias, name }
      await auditBy(tx, principal, { action: 'check.created', target: row.id, detail, at: now })
      return row
    })
    return presentCheck(created)
  })
}

export async function refuseTaken(tx: Tx, appId: string, name: string, exceptId: string | null): Promise<void> {
  if (!(await isNameTaken(tx, appId, name, exceptId))) return
  throw new ServiceError('CONFLICT', `A check with the name ${name} already exists in this app. Choose another name.`)
}

export function refuseUnknownModel({ hasModel }: Pick<CheckDeps, 'hasModel'>, definition: CheckDefinition): void {
  if (definition.kind !== 'agent' || hasModel(definition.model)) return
  const what = `definition.model: this installation has no chat model ${definition.model}`
  throw new ServiceError('INVALID_REQUEST', `${what}. List its models with GET /api/ai/v1/models.`)
}

/** A model costs tokens at every run. */
function defaultSchedule({ kind }: CheckDefinition): CheckSchedule {
  return { every_minutes: kind === 'agent' ? 60 : 5 }
}

function tooMany(): ServiceError {
  return new ServiceError('APP_LIMIT', `An app can have ${MAX_CHECKS_PER_APP} checks. Delete one you do not need.`)
}
