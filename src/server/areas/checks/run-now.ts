import { runCheck } from '#contract/checks/checks.ts'
import { notFound } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { CheckDeps } from './deps.ts'
import { presentRun } from './present.ts'
import { requireApp } from './require-app.ts'
import { findQueuedRun, queueRuns } from './runs-store.ts'
import { lockCheck, requireCheck } from './store.ts'

const MAX_TRIES = 5

/** Queues a run. Everyone who asks while one waits gets that one, so nobody can pile runs up. */
export function runRoute(deps: CheckDeps): Route {
  const { db, clock } = deps
  return route(runCheck, async ({ alias, check: idOrName }, { principal }) => {
    const app = await requireApp(deps, principal.org_id, alias)
    const { id } = await requireCheck(db, app.id, idOrName)
    const row = await db.tx(async (tx) => {
      const check = await lockCheck(tx, id)
      if (!check) throw notFound('check')
      const run = {
        id: newId('ckr'),
        check_id: id,
        org_id: principal.org_id,
        app_id: app.id,
        trigger: 'manual' as const,
        slot: null,
        requested_by: principal.user_id,
        created_at: clock.now(),
      }
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const [queued] = await queueRuns(tx, [run])
        // A worker can begin the run that waited before it is read here; then there is room for another.
        const waiting = queued ?? (await findQueuedRun(tx, id))
        if (waiting) return waiting
      }
      throw new Error(`no run of the check ${id} could be queued`)
    })
    return presentRun(row)
  })
}
