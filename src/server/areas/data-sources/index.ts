import type { Route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { listRoute } from './list.ts'
import { forgetUnlessExposed, statesOf } from './store.ts'

export { askRoute } from './ask/ask.ts'
export { configureRoute } from './configure/configure.ts'
export { showRoute } from './configure/show.ts'
export { manageRoutes } from './manage.ts'

/** What databases are told of their sources; compose hands it to them. */
export const sourcesOfDatabases = { statesOf, forgetUnlessExposed }

export function dataSourceRoutes(deps: { db: Querier }): Route[] {
  return [listRoute(deps)]
}
