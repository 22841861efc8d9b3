import type { Route } from '#edge/http/route.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { changeRoute } from './change.ts'
import { createRoute } from './create.ts'
import { deleteLoop, deleteRoute } from './delete.ts'
import type { AppDeps } from './deps.ts'
import { environmentRoutes } from './environment/routes.ts'
import { listRoute, readRoute } from './list.ts'
import { peopleRoutes } from './people/routes.ts'
import { collectLoop } from './revisions/collect.ts'
import type { RevisionDeps } from './revisions/deps.ts'
import { revisionRoutes } from './revisions/routes.ts'

export { createAppDirectory } from './directory.ts'
export { APP_VARIABLES } from './environment/sealed.ts'

export type Apps = {
  /** For deploy-api. */
  readonly routes: readonly Route[]
  /** For the worker. */
  readonly loops: readonly Loop[]
  readonly slots: readonly JobKind[]
}

export function createApps(deps: AppDeps & RevisionDeps): Apps {
  return {
    routes: [
      createRoute(deps),
      listRoute(deps),
      readRoute(deps),
      changeRoute(deps),
      deleteRoute(deps),
      ...peopleRoutes(deps),
      ...environmentRoutes(deps),
      ...revisionRoutes(deps),
    ],
    loops: [deleteLoop(deps), collectLoop(deps)],
    slots: [],
  }
}
