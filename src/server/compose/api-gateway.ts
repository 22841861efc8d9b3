import { assets } from '#lib/assets.ts'
import { consoleRoutes } from '../console/index.ts'
import { dataSourceRoutes } from '../data-sources/index.ts'
import { ownerOf } from '../service-table.ts'
import { apiDocsRoutes } from '../system/index.ts'
import { composeEdge, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

/** The public door: its own areas, and the way to every other service by the table of prefixes. */
export function compose(parts: ServiceParts): Service {
  const fetch = composeEdge(parts, {
    name: 'api-gateway',
    routes: [...dataSourceRoutes(parts), ...apiDocsRoutes(parts), ...consoleRoutes(assets.console())],
    validate: validateAtAuth(parts, 'api-gateway'),
    forward: (path) => {
      const owner = ownerOf(path)
      return owner && parts.neighbour(owner)
    },
  })
  return { fetch, loops: [] }
}
