import { z } from 'zod'
import { FilterType, MinRole } from '#contract/data-sources/sources.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { readStoredSearch } from '../search/entry.ts'

/** A source that can be asked, as the store had it at its `version`. */
const AskedSource = z.object({
  id: z.string(),
  org_id: z.string(),
  database_name: z.string(),
  min_role: MinRole,
  filter_schema: z.record(z.string(), FilterType),
  search: z.unknown().transform(readStoredSearch),
  version: z.string().describe('Another one after every change'),
})
export type AskedSource = z.output<typeof AskedSource>

export type SourceIds = { org_id: string; id: string; database_name: string; askable: boolean }

/** The ids of every source of these organizations, and whether it can be asked. */
export async function findSourceIds(db: Querier, orgIds: readonly string[]): Promise<SourceIds[]> {
  return db.query<SourceIds>(sql`
    select org_id, id, database_name, exposed and enabled as askable from data_sources.sources
    where org_id = any(${[...new Set(orgIds)]}::text[])`)
}

/** By their internal ids and in that order; undefined for one that cannot be asked. */
export async function findAsked(db: Querier, ids: readonly string[]): Promise<(AskedSource | undefined)[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id, org_id, database_name, min_role, filter_schema, search, xmin::text as version
    from data_sources.sources
    where id = any(${[...new Set(ids)]}::text[]) and exposed and enabled`)
  const found = new Map(rows.map((row) => [row.id, AskedSource.parse(row)]))
  return ids.map((id) => found.get(id))
}

/**
 * A statement that runs `insertion` and answers the version of each source that can be asked. Its last value is an array
 * of internal ids, with null for a question to an unknown source: what was typed in its place is not sent.
 */
export function checkedInsertion(insertion: Sql): Sql {
  return sql`
    with inserted as (${insertion})
    select id, xmin::text as version from data_sources.sources
    where id = any(${[]}::text[]) and exposed and enabled`
}

export type SourceVersion = { id: string; version: string }
