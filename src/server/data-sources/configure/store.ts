import type { SearchConfiguration } from '#contract/search-config.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './resolved.ts'

export type FoundSource = { id: string; database_name: string; search: ResolvedEntry[] | null }

export async function findSource(db: Querier, id: string): Promise<FoundSource | undefined> {
  const [row] = await db.query<FoundSource>(sql`
    select id, database_name, search from data_sources.sources where id = ${id}`)
  return row
}

type Saved = Pick<SearchConfiguration, 'connection_config' | 'filter_schema'> & {
  id: string
  search: readonly ResolvedEntry[] | null
  now: Date
}

/** False when the source is gone. */
export async function saveSearch(tx: Tx, to: Saved): Promise<boolean> {
  const rows = await tx.query(sql`
    update data_sources.sources
    set connection_config = ${JSON.stringify(to.connection_config)},
        filter_schema = ${JSON.stringify(to.filter_schema)},
        search = ${to.search && JSON.stringify(to.search)},
        updated_at = ${to.now}
    where id = ${to.id}
    returning id`)
  return rows.length === 1
}
