import { createAppSearch } from '../areas/apps/index.ts'
import { createFindSources } from '../areas/data-sources/index.ts'
import { createFindDatabases } from '../areas/databases/index.ts'
import { createFindChanges } from '../areas/maintenance/index.ts'
import { createFindPeople, createSearch } from '../areas/search/index.ts'
import { createFindTickets } from '../areas/tickets/index.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Joins the finders of the areas. */
export function composeSearch(parts: ServiceParts) {
  const apps = createAppSearch(parts)
  return createSearch({
    listApps: apps.list,
    finders: {
      app: apps.findApps,
      source: createFindSources(parts),
      database: createFindDatabases(parts),
      person: createFindPeople({ people: composePeople(parts) }),
      change: createFindChanges(parts),
      ticket: createFindTickets(parts),
      deploy: apps.findDeploys,
    },
  })
}
