import { listDatabases } from '#contract/databases.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { pageDatabases } from '../model/store.ts'
import type { DatabaseDeps } from '../servers/deps.ts'
import { present } from './present.ts'

export function listRoute({ db, sources }: DatabaseDeps): Route {
  return route(listDatabases, async ({ limit, cursor }, { principal }) => {
    const rows = await pageDatabases(db, principal.org_id, { before: readCursor(cursor), limit })
    const names = rows.map(({ name }) => name)
    const states = await sources.statesOf(db, principal.org_id, names)
    return toPage(rows, limit, (row) => present(row, states.get(row.name)))
  })
}
