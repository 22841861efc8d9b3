import { followDeploy, listDeploys, readDeploy, rollBack, startDeploy } from '#contract/apps/deploys.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { AppDeps } from '../model/deps.ts'
import { requireApp } from '../model/store.ts'
import { followEvents } from './follow.ts'
import { requestDeploy } from './request.ts'
import { findPreviousRevision, pageDeploys, requireDeploy } from './store.ts'

export function deployRoutes(deps: Pick<AppDeps, 'db' | 'clock' | 'deploysOff'>): Route[] {
  const { db } = deps
  const request = async (by: Member, appId: string, revisionId: string, kind: 'deploy' | 'rollback') => {
    const asked = { appId, revisionId, kind, requestedBy: by.user_id, actor: actorOf(by) }
    return toAnswer(await db.tx((tx) => requestDeploy(tx, deps, asked)))
  }
  return [
    route(startDeploy, async ({ alias, revision_id }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return request(principal, app.id, revision_id, 'deploy')
    }),
    route(rollBack, async ({ alias, revision_id }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return request(principal, app.id, revision_id ?? (await findPreviousRevision(db, app.id)), 'rollback')
    }),
    route(listDeploys, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return toPage(await pageDeploys(db, app.id, { before: readCursor(cursor), limit }), limit, toAnswer)
    }),
    route(readDeploy, async ({ alias, deploy_id }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return toAnswer(await requireDeploy(db, app.id, deploy_id))
    }),
    route(followDeploy, async function* ({ alias, deploy_id, last_id }, { principal, signal }) {
      const app = await requireApp(db, principal.org_id, alias)
      yield* followEvents(db, { appId: app.id, deployId: deploy_id, lastId: last_id, signal })
    }),
  ]
}
