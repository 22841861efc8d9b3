import type { SlimSource } from '#contract/data-sources.ts'
import type { Role } from '#contract/roles.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type AskableRow = {
  database_name: string
  name: string
  min_role: SlimSource['min_role']
  filter_schema: SlimSource['filters']
  description: string
}

/** Exposed, switched on, and open to one of these roles; oldest name first, so that the list stays put. */
export async function findAskable(db: Querier, orgId: string, minRoles: readonly Role[]): Promise<AskableRow[]> {
  return db.query<AskableRow>(sql`
    select database_name, name, min_role, filter_schema, description
    from data_sources.sources
    where org_id = ${orgId} and exposed and enabled and min_role = any(${minRoles})
    order by database_name`)
}
