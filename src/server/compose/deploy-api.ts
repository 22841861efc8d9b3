import { composeEdge, NO_PARTS, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const fetch = composeEdge(parts, {
    name: 'deploy-api',
    routes: [],
    validate: validateAtAuth(parts, 'deploy-api'),
    hasPart: NO_PARTS,
  })
  return { fetch }
}
