import { cachedApps } from './cached-apps.ts'
import { LocalStreams } from './calls/local-streams.ts'
import { sweepLoop } from './calls/sweep.ts'
import { WaitingCalls } from './calls/waiting.ts'
import type { PipelineDeps } from './deps.ts'
import type { CallActivity } from './functions/activity.ts'
import { callRoute } from './functions/call.ts'
import { listRoute } from './functions/list.ts'
import { pipelineRoutes } from './operations/routes.ts'
import { createRunHooks } from './runs/call-hooks.ts'
import { runRetention } from './runs/retention.ts'
import { scheduleLoop } from './schedule/loop.ts'
import { workerRoutes } from './workers/routes.ts'

export { CALL_INPUTS, CALL_RESULTS } from './calls/sealed.ts'
export { pipelinesEraser } from './erase-store.ts'

/** Workers of apps, and the functions and pipelines that they serve: the routes for deploy-api, the loops for the worker. */
export function createPipelines<Draft extends { id: string }>(
  deps: PipelineDeps & { readonly activity: CallActivity<Draft> },
) {
  const apps = cachedApps(deps)
  const pipelines = createRunHooks(deps)
  const waiting = new WaitingCalls(deps)
  const streams = new LocalStreams()
  return {
    routes: [
      listRoute(deps),
      callRoute({ ...deps, apps, waiting, streams }),
      ...workerRoutes({ ...deps, apps, pipelines, waiting, streams }),
      ...pipelineRoutes(deps),
    ],
    loops: [sweepLoop({ ...deps, pipelines }), scheduleLoop(deps), runRetention(deps)],
    [Symbol.asyncDispose]: () => waiting[Symbol.asyncDispose](),
  }
}
