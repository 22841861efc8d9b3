import { type Apps, createApps } from '../areas/apps/index.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Builds the area. deploy-api mounts its routes; the worker runs its loops and slots. */
export function composeApps(parts: ServiceParts): Apps {
  return createApps({
    ...parts,
    ...parts.config.revisions,
    people: composePeople(parts),
    urlOf: parts.publicUrls.ofApp,
  })
}
