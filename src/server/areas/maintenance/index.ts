import { resolveRuns } from './claims/resolve.ts'
import { createRunTokens } from './claims/token.ts'
import { findingsRoutes } from './findings/routes.ts'
import type { MaintenanceDeps } from './model/deps.ts'
import { actRoutes } from './proposals/act.ts'
import { proposalRoutes } from './proposals/routes.ts'
import { revalidateJobs } from './proposals/validate/revalidate.ts'
import { createFindUnshown } from './proposals/validate/unshown.ts'
import { retentionLoop } from './retention.ts'
import { type RunDeps, runJobs } from './runs/job.ts'
import { runRoutes } from './runs/routes.ts'
import { startRoute } from './runs/start.ts'
import { type NightDeps, nightLoop } from './schedule/loop.ts'
import { appRoute } from './settings/app.ts'
import { orgRoutes } from './settings/org.ts'
import { toolRoutes } from './tools/routes.ts'
import { type WatchDeps, watchLoop } from './watch/loop.ts'

export { maintenanceEraser } from './erase-store.ts'
export type { UsableModels } from './model/deps.ts'
export { createFindChanges } from './proposals/find.ts'
export type { ChangeTrials } from './proposals/validate/build-change.ts'
export { maintenanceRunApps, maintenanceTimezoneOf } from './settings/store.ts'

/** Builds what deploy-api serves: settings, runs, the tools of runs, and proposals. */
export function createMaintenance(given: MaintenanceDeps & { internalSecret: string }) {
  const deps = { ...given, findUnshown: createFindUnshown(given) }
  return {
    routes: [
      ...orgRoutes(deps),
      appRoute(deps),
      ...runRoutes(deps),
      startRoute(deps),
      ...toolRoutes(deps),
      ...findingsRoutes(deps),
      ...proposalRoutes(deps),
      ...actRoutes(deps),
    ],
    /** Recognises runs, which no other service knows. */
    resolve: resolveRuns({ db: deps.db, tokens: createRunTokens(deps.internalSecret) }),
  }
}

export function createMaintenanceWork(
  deps: Omit<RunDeps, 'tokens'> & WatchDeps & NightDeps & { internalSecret: string },
) {
  const tokens = createRunTokens(deps.internalSecret)
  return {
    loops: [nightLoop(deps), retentionLoop(deps), watchLoop(deps)],
    slots: [runJobs({ ...deps, tokens }), revalidateJobs(deps)],
  }
}
