import { roleAtLeast } from '#contract/core/roles.ts'
import { MIN_ROLES } from '#contract/data-sources/sources.ts'
import type { Querier } from '#lib/db/db.ts'
import type { FindThings } from '#ports/search.ts'
import { sourceIdOf } from './search/source-id.ts'
import { searchSources } from './store.ts'

/** Like their lists, developers find all data sources and other members those that they may ask. */
export function createFindSources({ db }: { db: Querier }): FindThings {
  return async ({ caller: { org_id, role }, text }) => {
    const isDeveloper = roleAtLeast(role, 'developer')
    const openTo = isDeveloper ? 'all' : MIN_ROLES.filter((minimum) => roleAtLeast(role, minimum))
    const rows = await searchSources(db, org_id, openTo, text)
    return rows.map(({ database_name, name, description }) => ({
      kind: 'source',
      id: sourceIdOf(database_name),
      title: name,
      subtitle: firstLineOf(description),
      app: null,
    }))
  }
}

const MAX_LINE_CHARACTERS = 120

function firstLineOf(description: string): string {
  return description.split('\n')[0]!.slice(0, MAX_LINE_CHARACTERS)
}
