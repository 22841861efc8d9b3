import type { Role } from '#contract/core/roles.ts'
import type { DataSource, SlimSource } from '#contract/data-sources/sources.ts'
import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { containsText, nearestFirst } from '#lib/db/text-match.ts'
import { isNamed, sourceIdOf } from './search/source-id.ts'

export type AskableRow = Pick<SlimSource, 'name' | 'min_role' | 'description'> & {
  database_name: string
  filter_schema: SlimSource['filters']
}

/** Finds the sources that are exposed, switched on and open to one of these roles, in the order of their names. */
export async function findAskable(db: Querier, orgId: string, minRoles: readonly Role[]): Promise<AskableRow[]> {
  return db.query<AskableRow>(sql`
    select database_name, name, min_role, filter_schema, description
    from data_sources.sources
    where org_id = ${orgId} and exposed and enabled and min_role = any(${minRoles})
    order by database_name`)
}

const NAMES = [sql`name`, sql`'db_' || database_name`]

/** Finds the sources with this text in their name or id, all of them or those that `findAskable` finds for the roles. */
export async function searchSources(db: Querier, orgId: string, openTo: 'all' | readonly Role[], text: string) {
  const isOpen = openTo === 'all' ? sql`true` : sql`exposed and enabled and min_role = any(${openTo})`
  return db.query<Pick<SourceRow, 'database_name' | 'name' | 'description'>>(sql`
    select database_name, name, description from data_sources.sources
    where org_id = ${orgId} and ${isOpen} and ${containsText(NAMES, text)}
    order by ${nearestFirst(NAMES, text)}, database_name limit ${MAX_SEARCH_HITS}`)
}

/** Selects the ids of the organization's sources that anybody may know of, because they are exposed. */
export function exposedSourceIds(orgId: string): Sql {
  return sql`select 'db_' || database_name from data_sources.sources where org_id = ${orgId} and exposed and enabled`
}

export async function usesModel(db: Querier, model: string): Promise<boolean> {
  const config = JSON.stringify({ embedding_configs: [{ model }] })
  const [found] = await db.query<{ used: boolean }>(sql`
    select exists (
      select from data_sources.sources where exposed and enabled and connection_config @> ${config}::jsonb
    ) as used`)
  return found!.used
}

export type SourceRow = Omit<DataSource, 'source_id' | 'created_at' | 'updated_at'> & {
  database_name: string
  created_at: Date
  updated_at: Date
}

export const SOURCE_COLUMNS = sql`id, database_name, name, description, enabled, exposed, min_role, connection_config, filter_schema,
  created_at, updated_at`

export async function pageSources(db: Querier, orgId: string, { before, limit }: PageQuery): Promise<SourceRow[]> {
  return db.query<SourceRow>(sql`
    select ${SOURCE_COLUMNS} from data_sources.sources
    where org_id = ${orgId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/**
 * The internal id of the organization's source that a typed id means. The typed id is compared here and not in the
 * statement: it may be any text, and Postgres may log bound values.
 */
export async function findSourceId(db: Querier | Tx, orgId: string, typedId: string): Promise<string | undefined> {
  const rows = await db.query<Pick<SourceRow, 'id' | 'database_name'>>(sql`
    select id, database_name from data_sources.sources where org_id = ${orgId}`)
  return rows.find((row) => isNamed(row, typedId))?.id
}

/** Finds a source by either of its ids and locks it until the transaction ends. */
export async function lockSource(tx: Tx, orgId: string, typedId: string): Promise<SourceRow | undefined> {
  const id = await findSourceId(tx, orgId, typedId)
  if (id === undefined) return undefined
  const [row] = await tx.query<SourceRow>(sql`
    select ${SOURCE_COLUMNS} from data_sources.sources where id = ${id} for update`)
  return row
}

type SwitchedSource = Pick<SourceRow, 'id' | 'database_name' | 'enabled'> & {
  org_id: string
  description: string | null
  now: Date
}

/** Switching off also stops the exposure to agents; switching on again does not expose the source. */
export async function switchRow(tx: Tx, to: SwitchedSource): Promise<SourceRow> {
  const [row] = await tx.query<SourceRow>(sql`
    insert into data_sources.sources as source
      (id, org_id, database_name, name, description, enabled, created_at, updated_at)
    values (${to.id}, ${to.org_id}, ${to.database_name}, ${to.database_name}, ${to.description ?? ''}, ${to.enabled},
            ${to.now}, ${to.now})
    on conflict (org_id, database_name) do update
      set enabled = excluded.enabled,
          exposed = source.exposed and excluded.enabled,
          description = coalesce(${to.description}, source.description),
          updated_at = excluded.updated_at
    returning ${SOURCE_COLUMNS}`)
  return row!
}

/** Counts under a lock of the organization, so that two requests at once cannot both expose the last one. */
export async function countExposed(tx: Tx, orgId: string): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`exposed ${orgId}`}, 0))`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from data_sources.sources where org_id = ${orgId} and exposed and enabled`)
  return row!.count
}

export async function exposeRow(
  tx: Tx,
  to: { id: string; exposed: boolean; min_role: SlimSource['min_role'] | null; now: Date },
): Promise<SourceRow> {
  const [row] = await tx.query<SourceRow>(sql`
    update data_sources.sources set exposed = ${to.exposed}, min_role = ${to.min_role}, updated_at = ${to.now}
    where id = ${to.id}
    returning ${SOURCE_COLUMNS}`)
  return row!
}

/** The states of these databases as sources, without those that were never switched on. */
export async function statesOf(
  db: Querier,
  orgId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, { enabled: boolean; exposed: boolean }>> {
  const rows = await db.query<{ database_name: string; enabled: boolean; exposed: boolean }>(sql`
    select database_name, enabled, exposed from data_sources.sources
    where org_id = ${orgId} and database_name = any(${names})`)
  return new Map(rows.map(({ database_name, ...state }) => [database_name, state]))
}

/** Removes the source of a database that is dropped. Returns false and does nothing if the source is exposed. */
export async function forgetUnlessExposed(tx: Tx, orgId: string, name: string): Promise<boolean> {
  const source = await lockSource(tx, orgId, sourceIdOf(name))
  if (source?.exposed) return false
  await tx.query(sql`delete from data_sources.sources where org_id = ${orgId} and database_name = ${name}`)
  return true
}
