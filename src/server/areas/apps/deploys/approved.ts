import type { DeployState } from '#contract/apps/deploys.ts'
import type { Clock } from '#lib/clock.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppDeploys, AppLive } from '#ports/app-changes.ts'
import { requestDeployIn } from './request.ts'
import { listCurrentDeploys, lockApp } from './store.ts'

type Deps = { readonly clock: Clock; readonly deploysOff: string | undefined }

/** Deploys approved changes. They take the path of every other deploy. */
export function createAppDeploys(deps: Deps): AppDeploys {
  return {
    async live(db, appIds) {
      const rows = await db.query<{ app_id: string } & AppLive>(sql`
        select app_id, min(revision_id) filter (where state = 'live') as "liveRevisionId",
          bool_or(state in ('queued', 'building', 'starting')) as "isDeploying"
        from apps.deploys where app_id = any(${appIds}::text[])
        group by app_id`)
      return new Map(rows.map(({ app_id, ...live }) => [app_id, live]))
    },
    async states(db, deployIds) {
      const rows = await db.query<{ id: string; state: DeployState }>(sql`
        select id, state from apps.deploys where id = any(${deployIds}::text[])`)
      return new Map(rows.map(({ id, state }) => [id, state]))
    },
    async lock(tx, orgId, appId) {
      const app = await lockApp(tx, appId)
      if (app?.org_id !== orgId || app.state === 'deleting') return undefined
      const deploys = await listCurrentDeploys(tx, appId)
      const live = deploys.find(({ state }) => state === 'live')
      return { liveRevisionId: live?.revision_id ?? null, isDeploying: deploys.some(({ state }) => state !== 'live') }
    },
    async queue(tx, { appId, revisionId, requestedBy, actor }) {
      const deploy = await requestDeployIn(tx, deps, { appId, revisionId, kind: 'proposal', requestedBy, actor })
      return deploy.id
    },
  }
}
