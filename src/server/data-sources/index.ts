import type { Route } from '#edge/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { listRoute } from './list.ts'

export function dataSourceRoutes(deps: { db: Querier }): Route[] {
  return [listRoute(deps)]
}
