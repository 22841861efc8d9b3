import { mcpRoutes } from '../mcp/index.ts'
import { composeEdge, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const fetch = composeEdge(parts, {
    name: 'mcp-server',
    routes: mcpRoutes({ ...parts, gateway: parts.neighbour('api-gateway') }),
    validate: validateAtAuth(parts, 'mcp-server'),
  })
  return { fetch, loops: [] }
}
