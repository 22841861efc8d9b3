import type { Route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { changeRoute, deleteRoute } from './change.ts'
import { createRoute } from './create.ts'
import type { CheckDeps } from './deps.ts'
import { type RunDeps, runJobs } from './jobs.ts'
import { overviewRoutes } from './overview.ts'
import { planLoop } from './plan.ts'
import { readRoutes } from './read.ts'
import { retentionLoop } from './retention.ts'
import { runRoute } from './run-now.ts'
import { seriesRoute } from './series.ts'

export { checksEraser } from './erase-store.ts'
export { listEndedRuns } from './runs-store.ts'
export { checkApps, listStates } from './store.ts'

/** For deploy-api. */
export function createCheckRoutes(deps: CheckDeps): readonly Route[] {
  return [
    createRoute(deps),
    ...readRoutes(deps),
    ...overviewRoutes(deps),
    seriesRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
    runRoute(deps),
  ]
}

/** For the worker. `keepDays`: how long runs stay in the history. */
export function createCheckWork(deps: RunDeps & { readonly db: Db; readonly keepDays: number }): {
  readonly loops: readonly Loop[]
  readonly slots: readonly JobKind[]
} {
  return { loops: [planLoop(deps), retentionLoop(deps)], slots: [runJobs(deps, 'other'), runJobs(deps, 'agent')] }
}
