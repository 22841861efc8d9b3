import type { FilterType, MinRole } from '#contract/data-sources.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'

export type AskedSource = {
  org_id: string
  database_name: string
  min_role: MinRole
  filter_schema: Record<string, FilterType>
  search: ResolvedEntry[] | null
}

/** One statement for all that is not to be found, so that nothing tells them apart. */
export async function findAsked(db: Querier, orgId: string, id: string): Promise<AskedSource | undefined> {
  const [row] = await db.query<AskedSource>(sql`
    select org_id, database_name, min_role, filter_schema, search
    from data_sources.sources
    where org_id = ${orgId} and (id = ${id} or ${id} = 'db_' || database_name) and exposed and enabled`)
  return row
}
