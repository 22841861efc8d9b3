import { deleteApp } from '#contract/apps/apps.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import { runIfLeased } from '#lib/work/lease.ts'
import type { Loop } from '#lib/work/loop.ts'
import { DEPLOYS_CHANNEL } from '../deploys/store.ts'
import { hostLease } from '../host/jobs.ts'
import { removeApp } from '../host/remove-app.ts'
import { auditApp } from '../model/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { findApp } from '../model/store.ts'
import { findDeleting, markDeleting } from './delete-store.ts'

/** Marks the app. Its host stops it and deletes its rows; where nothing hosts apps, the loop below does. */
export function deleteRoute({ db, clock }: Pick<AppDeps, 'db' | 'clock'>): Route {
  return route(deleteApp, async ({ alias, confirm }, { principal }) => {
    const app = await findApp(db, principal.org_id, { alias })
    if (!app) throw notFound('app')
    if (confirm !== alias) throw new ServiceError('INVALID_REQUEST', 'confirm: must be the alias of the app')
    await db.tx(async (tx) => {
      if (await markDeleting(tx, app.id)) await auditApp(tx, principal, { action: 'app.deleted', app, at: clock.now() })
    })
    return { alias, state: 'deleting' as const }
  })
}

/** How soon to look again at an app whose host stops it, or died. */
const HOSTED_MS = 5_000
const IDLE_MS = 10 * 60_000

/**
 * Deletes apps where this process hosts none. It takes the host's lease, so that an app which another process hosts is
 * left to that one.
 */
export function deleteLoop({ db }: Pick<AppDeps, 'db'>): Loop {
  return {
    name: 'apps-delete',
    wakeOn: DEPLOYS_CHANNEL,
    async tick(now, signal) {
      const ids = await findDeleting(db)
      let deleted = 0
      for (const id of ids) {
        if (signal.aborted) break
        if (await runIfLeased(db, hostLease({ id }), (lease) => removeApp(db, id, lease))) deleted++
      }
      return new Date(now.getTime() + (deleted < ids.length ? HOSTED_MS : IDLE_MS))
    },
  }
}
