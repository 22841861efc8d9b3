import type { Route } from '#edge/route/route.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deployRoutes } from './deploys/routes.ts'
import type { Door } from './door/door.ts'
import { environmentRoutes } from './environment/routes.ts'
import { createHostDeps } from './host/create-host-deps.ts'
import type { Hosting } from './host/deps.ts'
import { hostJobs } from './host/jobs.ts'
import { logRetention } from './logs/retention.ts'
import { logRoutes } from './logs/routes.ts'
import { changeRoute } from './manage/change.ts'
import { createRoute } from './manage/create.ts'
import { deleteLoop, deleteRoute } from './manage/delete.ts'
import { listRoute, readRoute } from './manage/list.ts'
import type { AppDeps } from './model/deps.ts'
import { peopleRoutes } from './people/routes.ts'
import { collectLoop } from './revisions/collect.ts'
import type { RevisionDeps } from './revisions/deps.ts'
import { revisionRoutes } from './revisions/routes.ts'
import { countRoute } from './series/count.ts'
import { seriesLoop, seriesRetention } from './series/loops.ts'
import { seriesRoute } from './series/route.ts'

export { AppCounts } from './counts/app-counts.ts'
export { createAppDeploys } from './deploys/app-deploys.ts'
export { findLiveDeploy, isDeployServing, listWentLive } from './deploys/store.ts'
export { AppDoor } from './door/app-door.ts'
export type { Door } from './door/door.ts'
export { appLabelOf } from './door/host-name.ts'
export type { AppAddress } from './door/messages.ts'
export { movedToDoor } from './door/moved.ts'
export type { AppNetwork } from './door/network.ts'
export type { FoundApp } from './door/routed-requests.ts'
export { createSocketSeries } from './door/socket-series.ts'
export { createRedactorOf } from './environment/redactor.ts'
export { APP_VARIABLES } from './environment/sealed.ts'
export { createAppProbe } from './host/ask-app.ts'
export type { Hosting } from './host/deps.ts'
export { failHarmfulDeploy } from './host/harmful.ts'
export { startingNote } from './host/starting-note.ts'
export { createAppTraffic } from './host/traffic.ts'
export { createWhyAbsent } from './host/why-absent.ts'
export { KeptDoor } from './keeper/link/kept-door.ts'
export { openKeeper } from './keeper/program/open-keeper.ts'
export { createKubernetesClient } from './kubernetes/client.ts'
export { fetchRevision } from './kubernetes/fetch-revision.ts'
export { createKubernetesTarget, type KubernetesTarget } from './kubernetes/kubernetes-target.ts'
export { createAppLogs } from './logs/evidence-store.ts'
export { createLogWriter } from './logs/writer.ts'
export { appsEraser } from './manage/erase-store.ts'
export { listAppIds } from './model/store.ts'
export { createAppDirectory } from './people/directory.ts'
export { createProcessTarget } from './process/process-target.ts'
export { createRevisionDiff, diffTexts } from './revisions/diff.ts'
export { createSaveChange } from './revisions/save-change.ts'
export { createAppSearch } from './search/find.ts'
export { createAppSource } from './source.ts'
export { createAppTrials } from './trials.ts'

export type Apps = {
  /** For deploy-api. */
  readonly routes: readonly Route[]
  /** For the worker. */
  readonly loops: readonly Loop[]
  readonly slots: readonly JobKind[]
}

/** `hosting` is given in the process that runs apps. */
export function createApps(
  deps: AppDeps & RevisionDeps & { readonly hosting?: (Hosting & Pick<Door, 'takeCounts'>) | undefined },
): Apps {
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
      ...deployRoutes(deps),
      ...logRoutes(deps),
      seriesRoute(deps),
      countRoute(deps),
    ],
    loops: [
      // A host also ends children and removes releases, so where there is one it deletes.
      ...(deps.hosting ? [] : [deleteLoop(deps)]),
      collectLoop(deps),
      logRetention({ ...deps, maxBytes: deps.logBytesPerApp, maxAgeDays: deps.logRetentionDays }),
      ...(deps.hosting ? [seriesLoop({ ...deps, takeCounts: deps.hosting.takeCounts })] : []),
      seriesRetention(deps),
    ],
    slots: deps.hosting ? [hostJobs(createHostDeps(deps, deps.hosting))] : [],
  }
}
