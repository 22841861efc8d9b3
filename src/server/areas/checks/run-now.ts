import { runCheck } from '#contract/checks/checks.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import type { CheckDeps } from './deps.ts'
import { presentRun } from './present.ts'
import { findQueuedRun, newRun, queueRuns } from './runs-store.ts'
import { lockCheck, requireCheck } from './store.ts'

const MAX_TRIES = 5

/** Queues a run. Everyone who asks while one waits gets that one, so nobody can pile runs up. */
export function runRoute(deps: CheckDeps): Route {
  const { db, clock } = deps
  return route(runCheck, async ({ alias, check: idOrName }, { principal }) => {
    const app = await requireApp(deps.apps, principal.org_id, alias)
    const { id } = await requireCheck(db, app.id, idOrName)
    const row = await db.tx(async (tx) => {
      const run = newRun(await lockCheck(tx, id), null, principal.user_id, clock.now())
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
