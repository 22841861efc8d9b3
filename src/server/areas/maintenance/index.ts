import type { ResolveCaller } from '#edge/credentials/caller.ts'
import type { Route } from '#edge/http/route.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { resolveRuns } from './claims/resolve.ts'
import { createRunTokens } from './claims/token.ts'
import type { MaintenanceDeps } from './model/deps.ts'
import { type ActDeps, actRoutes } from './proposals/act.ts'
import { revalidateJobs } from './proposals/revalidate.ts'
import { proposalRoutes } from './proposals/routes.ts'
import { createFindUnshown } from './proposals/unshown.ts'
import { retentionLoop } from './retention.ts'
import { type RunDeps, runJobs } from './runs/job.ts'
import { runRoutes } from './runs/routes.ts'
import { startRoute } from './runs/start.ts'
import { nightLoop } from './schedule/loop.ts'
import { appRoute } from './settings/app.ts'
import { orgRoutes } from './settings/org.ts'
import type { ToolDeps } from './tools/deps.ts'
import { toolRoutes } from './tools/routes.ts'

export type { UsableModels } from './model/deps.ts'
export type { ChangeTrials } from './proposals/build-change.ts'
export { maintenanceTimezoneOf } from './settings/store.ts'

type Maintenance = {
  readonly routes: readonly Route[]
  /** Recognises runs, which no other service knows. */
  readonly resolve: (others: ResolveCaller) => ResolveCaller
}

/** Builds what deploy-api serves: settings, runs, the tools of runs, and proposals. */
export function createMaintenance(
  given: MaintenanceDeps & ToolDeps & Omit<ActDeps, 'findUnshown'> & { internalSecret: string },
): Maintenance {
  const deps = { ...given, findUnshown: createFindUnshown(given) }
  return {
    routes: [
      ...orgRoutes(deps),
      appRoute(deps),
      ...runRoutes(deps),
      startRoute(deps),
      ...toolRoutes(deps),
      ...proposalRoutes(deps),
      ...actRoutes(deps),
    ],
    resolve: resolveRuns({ db: deps.db, tokens: createRunTokens(deps.internalSecret) }),
  }
}

type MaintenanceWork = { readonly loops: readonly Loop[]; readonly slots: readonly JobKind[] }

/** Builds what the worker runs. */
export function createMaintenanceWork(deps: Omit<RunDeps, 'tokens'> & { internalSecret: string }): MaintenanceWork {
  const tokens = createRunTokens(deps.internalSecret)
  return {
    loops: [nightLoop(deps), retentionLoop(deps)],
    slots: [runJobs({ ...deps, tokens }), revalidateJobs(deps)],
  }
}
