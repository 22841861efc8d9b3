import type { Querier } from '#lib/db/db.ts'
import type { FindThings } from '#ports/search.ts'
import { searchDatabases } from '../model/store.ts'

export function createFindDatabases({ db }: { db: Querier }): FindThings {
  return async ({ caller: { org_id }, text }) => {
    const rows = await searchDatabases(db, org_id, text)
    return rows.map(({ name, state }) => ({ kind: 'database', id: name, title: name, subtitle: state, app: null }))
  }
}
