import { z } from 'zod'
import { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { targetsOf } from '../measure/index-state.ts'
import { keepMeasurements } from '../measure/store.ts'
import { type ResolvedEntry, readStoredSearch } from '../search/entry.ts'
import { SOURCE_COLUMNS, type SourceRow } from '../store.ts'

const ConfigurableSource = z.object({
  id: z.string(),
  database_name: z.string(),
  search: z.unknown().transform(readStoredSearch),
  has_person_settings: z.boolean(),
})

/** A source as a save of its configuration needs it. */
export async function findSource(db: Querier, id: string): Promise<z.output<typeof ConfigurableSource> | undefined> {
  const [row] = await db.query<object>(sql`
    select id, database_name, search, coalesce(connection_config -> 'person_settings', 'null') <> 'null' as has_person_settings
    from data_sources.sources where id = ${id}`)
  return row && ConfigurableSource.parse(row)
}

const StoredConfiguration = z.object({
  connection_config: SearchConfiguration.shape.connection_config.nullable(),
  warnings: z.array(z.string()),
  search: z.unknown().transform(readStoredSearch),
})

type ConfiguredSource = Omit<SourceRow, 'connection_config'> & z.output<typeof StoredConfiguration>

export async function findConfigured(db: Querier, id: string): Promise<ConfiguredSource | undefined> {
  const [row] = await db.query<SourceRow>(sql`
    select ${SOURCE_COLUMNS}, search, warnings from data_sources.sources where id = ${id}`)
  return row && { ...row, ...StoredConfiguration.parse(row) }
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
  await keepMeasurements(tx, to.id, (to.search ?? []).flatMap(targetsOf))
  return rows.length === 1
}
