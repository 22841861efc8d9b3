import { createAppDirectory } from '../areas/apps/index.ts'
import { createPipelines } from '../areas/pipelines/index.ts'
import { composeActivity } from './activity.ts'
import type { ServiceParts } from './parts.ts'

/** Builds the area. deploy-api mounts its routes; the worker runs its loops. */
export function composePipelines(parts: ServiceParts) {
  const { log } = parts
  return createPipelines({
    ...parts,
    apps: createAppDirectory(parts),
    appsIn: (db) => createAppDirectory({ db }),
    activity: parts.shared(composeActivity),
    isStopping: () => parts.openStreams.isStopping,
    onError: (error) => log.error({ error }, 'work on calls of workers failed; it is tried again'),
  })
}
