import { followDeploy, listDeploys, readDeploy, rollBack, startDeploy } from '#contract/apps/deploys.ts'
import { notFound } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { type DeployLogs, followEvents } from './follow.ts'
import { presentDeploy } from './present.ts'
import { findPreviousRevision, requestDeploy } from './request.ts'
import { findDeploy, listDeployRows } from './store.ts'

type DeployRouteDeps = {
  readonly db: Db
  readonly clock: Clock
  /** Throws NOT_FOUND for an app that the organization does not have. */
  readonly needApp: (orgId: string, alias: string) => Promise<{ readonly id: string }>
  /** Undefined where this installation runs no apps; then the sentence says what to do. */
  readonly deploysOff: string | undefined
  readonly logs: DeployLogs
}

export function deployRoutes(deps: DeployRouteDeps): Route[] {
  const { db, needApp } = deps
  return [
    route(startDeploy, async ({ alias, revision_id }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      return presentDeploy(
        await requestDeploy(deps, { ...by(principal), appId: app.id, revisionId: revision_id, kind: 'deploy' }),
      )
    }),
    route(rollBack, async ({ alias, revision_id }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const revisionId = revision_id ?? (await findPreviousRevision(db, app.id))
      return presentDeploy(await requestDeploy(deps, { ...by(principal), appId: app.id, revisionId, kind: 'rollback' }))
    }),
    route(listDeploys, async ({ alias, limit, cursor }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const rows = await listDeployRows(db, app.id, { limit: limit + 1, before: readCursor(cursor) })
      return toPage(rows, limit, presentDeploy)
    }),
    route(readDeploy, async ({ alias, deploy_id }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const row = await findDeploy(db, app.id, deploy_id)
      if (!row) throw notFound('deploy')
      return presentDeploy(row)
    }),
    route(followDeploy, async function* ({ alias, deploy_id, last_id }, { principal, signal }) {
      const app = await needApp(principal.org_id, alias)
      yield* followEvents(deps, { appId: app.id, deployId: deploy_id, lastId: last_id, signal })
    }),
  ]
}

function by(principal: Member) {
  return { requestedBy: principal.user_id, actor: actorOf(principal) }
}
