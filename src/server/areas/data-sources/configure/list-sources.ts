import { listSources } from '#contract/data-sources/sources.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { presentSource } from '../answer/present-source.ts'
import { pageSources } from '../store.ts'

export function listSourcesRoute({ db }: { db: Querier }): Route {
  return route(listSources, async ({ limit, cursor }, { principal }) => {
    return toPage(await pageSources(db, principal.org_id, { before: readCursor(cursor), limit }), limit, presentSource)
  })
}
