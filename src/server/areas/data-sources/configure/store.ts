import type { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { SOURCE_COLUMNS, type SourceRow } from '../store.ts'

export type FoundSource = { id: string; database_name: string; search: ResolvedEntry[] | null }

export async function findSource(db: Querier, id: string): Promise<FoundSource | undefined> {
  const [row] = await db.query<FoundSource>(sql`
    select id, database_name, search from data_sources.sources where id = ${id}`)
  return row
}

export type ConfiguredRow = Omit<SourceRow, 'connection_config'> & {
  connection_config: SearchConfiguration['connection_config'] | null
  search: ResolvedEntry[] | null
  warnings: string[]
}

/** All that is stored of a source. */
export async function findConfigured(db: Querier, id: string): Promise<ConfiguredRow | undefined> {
  const [row] = await db.query<ConfiguredRow>(sql`
    select ${SOURCE_COLUMNS}, search, warnings from data_sources.sources where id = ${id}`)
  return row
}

type Saved = SearchConfiguration & {
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
        warnings = ${JSON.stringify(to.warnings)},
        search = ${to.search && JSON.stringify(to.search)},
        updated_at = ${to.now}
    where id = ${to.id}
    returning id`)
  return rows.length === 1
}
