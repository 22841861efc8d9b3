import { z } from 'zod'
import { FilterType, MinRole } from '#contract/data-sources/sources.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql, withValues } from '#lib/db/sql.ts'
import { readStoredSearch } from '../search/entry.ts'

/** A source that can be asked, as the store had it at its `version`. */
const AskableSource = z.object({
  id: z.string(),
  org_id: z.string(),
  database_name: z.string(),
  min_role: MinRole,
  filter_schema: z.record(z.string(), FilterType),
  search: z.unknown().transform(readStoredSearch),
  /** The `xmin` of the row: another one after every change. */
  version: z.string(),
})
export type AskableSource = z.output<typeof AskableSource>

export type SourceIds = { org_id: string; id: string; database_name: string; askable: boolean }

/** The ids of every source of these organizations, and whether it can be asked. */
export async function findSourceIds(db: Querier, orgIds: readonly string[]): Promise<SourceIds[]> {
  return db.query<SourceIds>(sql`
    select org_id, id, database_name, exposed and enabled as askable from data_sources.sources
    where org_id = any(${[...new Set(orgIds)]}::text[])`)
}

export type ConfiguredSource = { id: string; org_id: string; database_name: string; search: unknown }

/** Every source of the installation that has something to search. */
export async function findConfiguredSources(db: Querier): Promise<ConfiguredSource[]> {
  return db.query<ConfiguredSource>(sql`
    select id, org_id, database_name, search from data_sources.sources where enabled and search is not null order by id`)
}

/** By their internal ids and in that order; undefined for one that cannot be asked. */
export async function findAskableSources(db: Querier, ids: readonly string[]): Promise<(AskableSource | undefined)[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id, org_id, database_name, min_role, filter_schema, search, xmin::text as version
    from data_sources.sources
    where id = any(${[...new Set(ids)]}::text[]) and exposed and enabled`)
  const found = new Map(rows.map((row) => [row.id, AskableSource.parse(row)]))
  return ids.map((id) => found.get(id))
}

/**
 * Returns a function that runs `insertion` with other values, as many and in the same order, and returns the version of
 * each source by internal ids and in that order; undefined for one that cannot be asked. An id is null for a question to
 * an unknown source, because the text that was typed in its place must not reach the database.
 */
export function insertionWithVersions(db: Querier, insertion: Sql) {
  // The empty list is the last value of the statement. Each run puts its ids in that place.
  const statement = sql`
    with inserted as (${insertion})
    select id, xmin::text as version from data_sources.sources
    where id = any(${[]}::text[]) and exposed and enabled`
  return async (values: readonly unknown[], ids: readonly (string | null)[]): Promise<(string | undefined)[]> => {
    const rows = await db.query<{ id: string; version: string }>(withValues(statement, [...values, ids]))
    const versions = new Map(rows.map(({ id, version }) => [id, version]))
    return ids.map((id) => (id === null ? undefined : versions.get(id)))
  }
}
