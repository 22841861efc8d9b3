import type { AppDeploys } from '#ports/app-changes.ts'
import type { AppDeps } from '../model/deps.ts'
import { requestDeploy } from './request.ts'
import { lockApp, readDeployStates, readLive } from './store.ts'

/** Deploys approved changes. They take the path of every other deploy. */
export function createAppDeploys(deps: Pick<AppDeps, 'clock' | 'deploysOff'>): AppDeploys {
  return {
    live: readLive,
    states: readDeployStates,
    async lock(tx, orgId, appId) {
      const app = await lockApp(tx, appId)
      if (app?.org_id !== orgId || app.state === 'deleting') return undefined
      return (await readLive(tx, [appId])).get(appId) ?? { liveRevisionId: null, isDeploying: false }
    },
    async queue(tx, { appId, revisionId, requestedBy, actor }) {
      const deploy = await requestDeploy(tx, deps, { appId, revisionId, kind: 'proposal', requestedBy, actor })
      return deploy.id
    },
  }
}
