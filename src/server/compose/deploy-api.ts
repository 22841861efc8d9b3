import { createAppDirectory } from '../areas/apps/index.ts'
import { composeApps } from './apps.ts'
import { composeEdge, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const fetch = composeEdge(parts, {
    name: 'deploy-api',
    routes: composeApps(parts).routes,
    validate: validateAtAuth(parts, 'deploy-api'),
    hasPart: createAppDirectory(parts).hasPart,
  })
  return { fetch }
}
