import { createAppDirectory } from '../areas/apps/index.ts'
import { createTickets } from '../areas/tickets/index.ts'
import { composeApps } from './apps.ts'
import { composeCheckRoutes } from './checks.ts'
import { composeEdge, validateAtAuth } from './edge.ts'
import { composeMaintenance } from './maintenance.ts'
import type { Service, ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'
import { composePipelines } from './pipelines.ts'

export function compose(parts: ServiceParts): Service {
  const apps = createAppDirectory(parts)
  const tickets = createTickets({ ...parts, apps, people: composePeople(parts) })
  const maintenance = composeMaintenance(parts)
  const pipelines = composePipelines(parts)
  const fetch = composeEdge(parts, {
    name: 'deploy-api',
    routes: [
      ...composeApps(parts).routes,
      ...composeCheckRoutes(parts),
      ...tickets.routes,
      ...maintenance.routes,
      ...pipelines.routes,
    ],
    validate: validateAtAuth(parts, 'deploy-api'),
    resolve: maintenance.resolve,
    hasPart: apps.hasPart,
  })
  return { fetch, [Symbol.asyncDispose]: () => pipelines[Symbol.asyncDispose]() }
}
