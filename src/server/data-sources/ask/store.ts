import type { FilterType, MinRole } from '#contract/data-sources.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'

export type AskedSource = {
  org_id: string
  database_name: string
  min_role: MinRole
  filter_schema: Record<string, FilterType>
  search: ResolvedEntry[] | null
  /** Another one after every change. */
  version: string
}

export type Wanted = { org_id: string; id: string }

/** One statement for all that is not to be found, so that nothing tells them apart. In the order they are wanted. */
export async function findAsked(db: Querier, wanted: readonly Wanted[]): Promise<(AskedSource | undefined)[]> {
  const rows = await db.query<AskedSource & { place: number }>(sql`
    select wanted.place, source.org_id, database_name, min_role, filter_schema, search, source.xmin::text as version
    from ${askable(wanted)}`)
  const found = new Map(rows.map(({ place, ...source }) => [place, source]))
  return wanted.map((_, i) => found.get(i + 1))
}

/** Writes by the statement, and answers how the sources stand: the version of each, if it can be asked. */
export async function writeAndCheck(
  db: Querier,
  writing: Sql,
  wanted: readonly Wanted[],
): Promise<(string | undefined)[]> {
  const rows = await db.query<{ place: number; version: string }>(sql`
    with written as (${writing})
    select wanted.place, source.xmin::text as version from ${askable(wanted)}`)
  const versions = new Map(rows.map(({ place, version }) => [place, version]))
  return wanted.map((_, i) => versions.get(i + 1))
}

function askable(wanted: readonly Wanted[]): Sql {
  return sql`
    unnest(${wanted.map(({ org_id }) => org_id)}::text[], ${wanted.map(({ id }) => id)}::text[])
      with ordinality as wanted (org_id, id, place)
    join data_sources.sources as source
      on source.org_id = wanted.org_id and (source.id = wanted.id or wanted.id = 'db_' || database_name)
    where exposed and enabled`
}
