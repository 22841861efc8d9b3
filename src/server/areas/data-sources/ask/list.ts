import { roleAtLeast } from '#contract/core/roles.ts'
import { listSlimSources, MIN_ROLES } from '#contract/data-sources/sources.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { type AskableRow, findAskable } from '../store.ts'

/** What the caller may ask: a source below their role is not told of. */
export function listRoute({ db }: { db: Querier }): Route {
  return route(listSlimSources, async (_, { principal }) => {
    const open = MIN_ROLES.filter((minimum) => roleAtLeast(principal.role, minimum))
    const rows = await findAskable(db, principal.org_id, open)
    return { items: rows.map(present), next_cursor: null }
  })
}

function present(row: AskableRow) {
  const { database_name, name, min_role, filter_schema, description } = row
  return { id: `db_${database_name}`, name, min_role, filters: filter_schema, description }
}
