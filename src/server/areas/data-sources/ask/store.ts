import type { FilterType, MinRole } from '#contract/data-sources/sources.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'

export type AskedSource = {
  id: string
  org_id: string
  database_name: string
  min_role: MinRole
  filter_schema: Record<string, FilterType>
  search: ResolvedEntry[] | null
  /** Another one after every change. */
  version: string
}

export type AskableId = { org_id: string; id: string; database_name: string }

/** The ids of every source of these organizations that can be asked, at most 100 each. */
export async function findAskableIds(db: Querier, orgIds: readonly string[]): Promise<AskableId[]> {
  return db.query<AskableId>(sql`
    select org_id, id, database_name from data_sources.sources
    where org_id = any(${[...new Set(orgIds)]}::text[]) and exposed and enabled`)
}

/** By their internal ids and in that order; undefined for one that cannot be asked. */
export async function findAsked(db: Querier, ids: readonly string[]): Promise<(AskedSource | undefined)[]> {
  const rows = await db.query<AskedSource>(sql`
    select id, org_id, database_name, min_role, filter_schema, search, xmin::text as version
    from data_sources.sources
    where id = any(${[...new Set(ids)]}::text[]) and exposed and enabled`)
  const found = new Map(rows.map((source) => [source.id, source]))
  return ids.map((id) => found.get(id))
}

/**
 * Runs `writing` and answers, from the same statement, the version of each source that can be asked. Null stands for a
 * question to a source that does not exist: what was typed in its place is not sent to the database.
 */
export async function writeAndCheck(
  db: Querier,
  writing: Sql,
  ids: readonly (string | null)[],
): Promise<(string | undefined)[]> {
  const rows = await db.query<{ id: string; version: string }>(sql`
    with written as (${writing})
    select id, xmin::text as version from data_sources.sources
    where id = any(${ids}::text[]) and exposed and enabled`)
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  return ids.map((id) => (id === null ? undefined : versions.get(id)))
}
