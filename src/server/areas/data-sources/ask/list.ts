import { roleAtLeast } from '#contract/core/roles.ts'
import { listSlimSources, MIN_ROLES } from '#contract/data-sources/sources.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { sourceIdOf } from '../search/source-id.ts'
import { type AskableRow, findAskable } from '../store.ts'

/** Lists what the caller may ask. Sources above the caller's role are left out. */
export function listRoute({ db }: { db: Querier }): Route {
  return route(listSlimSources, async (_, { principal }) => {
    const minRoles = MIN_ROLES.filter((minimum) => roleAtLeast(principal.role, minimum))
    const rows = await findAskable(db, principal.org_id, minRoles)
    return { items: rows.map(present), next_cursor: null }
  })
}

function present(row: AskableRow) {
  const { database_name, name, min_role, filter_schema, description } = row
  return { id: sourceIdOf(database_name), name, min_role, filters: filter_schema, description }
}
