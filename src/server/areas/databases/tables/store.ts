import type { Tx } from '#lib/db/db.ts'
import { identifier, integer, sql } from '#lib/db/sql.ts'
import type { ManagedDb } from '../engine/pools.ts'

const CATALOGUE_LIMIT_MS = 5_000
const COUNT_LIMIT_MS = 2_000

/**
 * Reads as the owner, with only pg_catalog in the search path, because the tenant may have made operators and functions of
 * the same names. Code of the tenant that runs nevertheless has the tenant's own rights and cannot write.
 */
async function readAsOwner<T>(owner: ManagedDb, timeoutMs: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  return owner.tx(
    async (tx) => {
      await tx.query(sql`select pg_catalog.set_config('search_path', 'pg_catalog', true),
        pg_catalog.set_config('row_security', 'off', true)`)
      return work(tx)
    },
    { readOnly: true, timeoutMs },
  )
}

export type FoundTable = {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** https://www.postgresql.org/docs/15/catalog-pg-class.html, relkind */
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f'
  /** As of the last vacuum or analyze; -1 before the first. */
  readonly estimated_rows: number
  /** Null for what has none, and for a table that is locked. */
  readonly bytes: number | null
  readonly has_row_security: boolean
  readonly total: number
}

export type FoundColumn = {
  readonly table: number
  readonly name: string
  readonly type: string
  readonly base_type: string
  readonly category: string
  readonly is_key: boolean
  readonly size: number
  /** Share of rows without a value, as of the last analyze; null before the first. */
  readonly null_share: number | null
  readonly total: number
}

type Bounds = { readonly tables: number; readonly columns: number }
type TableName = { readonly schema: string; readonly name: string }

/** Finds the tables and views of the owner with their columns, or the named one only. Reads no rows. */
export async function findTables(
  owner: ManagedDb,
  bounds: Bounds,
  named: TableName | undefined,
): Promise<{ tables: FoundTable[]; columns: FoundColumn[] }> {
  return readAsOwner(owner, CATALOGUE_LIMIT_MS, async (tx) => {
    const tables = await selectTables(tx, bounds.tables, named)
    const oids = tables.map(({ oid }) => oid)
    return { tables, columns: await selectColumns(tx, oids, bounds.columns) }
  })
}

/**
 * The size of a table waits for its locks, and for those of its partitions and indexes. One that is altered or indexed
 * anew meanwhile has no size, otherwise no table could be listed.
 */
async function selectTables(tx: Tx, limit: number, named: TableName | undefined): Promise<FoundTable[]> {
  return tx.query<FoundTable>(sql`
    with locked as materialized (
      select coalesce(pg_catalog.pg_partition_root(used.oid)::pg_catalog.oid, used.oid) as oid
      from pg_catalog.pg_locks l left join pg_catalog.pg_index i on i.indexrelid = l.relation
      cross join lateral (select coalesce(i.indrelid, l.relation) as oid) used
      where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
        and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
    )
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind as kind,
           c.reltuples::float8 as estimated_rows, c.relrowsecurity as has_row_security,
           pg_catalog.count(*) over () as total,
           case when c.oid in (select oid from locked) then null
                when c.relkind in ('r', 'm') then pg_catalog.pg_total_relation_size(c.oid)
                when c.relkind = 'p' then (
                  select coalesce(pg_catalog.sum(pg_catalog.pg_total_relation_size(part.relid)), 0)::int8
                  from pg_catalog.pg_partition_tree(c.oid) part)
           end as bytes
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relpersistence <> 't'
      and pg_catalog.pg_has_role(c.relowner, 'usage')
      and n.nspname <> 'information_schema' and not pg_catalog.starts_with(n.nspname::text, 'pg_')
      and (${named?.schema ?? null}::text is null or n.nspname = ${named?.schema ?? null}::text)
      and (${named?.name ?? null}::text is null or c.relname = ${named?.name ?? null}::text)
    order by n.nspname, c.relname limit ${limit}`)
}

/** Of nested domains the outermost declared length counts. */
async function selectColumns(tx: Tx, oids: readonly number[], limit: number): Promise<FoundColumn[]> {
  return tx.query<FoundColumn>(sql`
    with recursive listed as (
      select a.attrelid, a.attname, a.attnum, a.atttypid, a.atttypmod,
             pg_catalog.row_number() over (partition by a.attrelid order by a.attnum) as place,
             pg_catalog.count(*) over (partition by a.attrelid) as total
      from pg_catalog.pg_attribute a
      where a.attrelid = any(${oids}::oid[]) and a.attnum > 0 and not a.attisdropped
    ), down as (
      select l.*, l.atttypid as at, l.atttypmod as mod from listed l where l.place <= ${limit}
      union all
      select d.attrelid, d.attname, d.attnum, d.atttypid, d.atttypmod, d.place, d.total, t.typbasetype,
             case when d.mod = -1 then t.typtypmod else d.mod end
      from down d join pg_catalog.pg_type t on t.oid = d.at
      where t.typtype = 'd'
    )
    select d.attrelid::int8 as "table", d.attname as name, d.total, d.mod as size,
           pg_catalog.format_type(d.atttypid, d.atttypmod) as type,
           t.typname as base_type, t.typcategory::text as category,
           exists (select from pg_catalog.pg_index i
                   where i.indrelid = d.attrelid and i.indisprimary and d.attnum = any(i.indkey)) as is_key,
           (select s.null_frac::float8 from pg_catalog.pg_stats s
            where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = d.attname
            order by s.inherited desc limit 1) as null_share
    from down d
    join pg_catalog.pg_type t on t.oid = d.at
    join pg_catalog.pg_class c on c.oid = d.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where t.typtype <> 'd'
    order by d.attrelid, d.attnum`)
}

export type ExactCounts = { readonly rows: number; readonly filled: readonly number[] }

/** Counts the rows of a table, and those with a value in each of these columns. No value is returned. */
export async function countTable(
  owner: ManagedDb,
  { schema, name }: TableName,
  columns: readonly string[],
): Promise<ExactCounts> {
  const counts = columns
    .map((column, i) => sql`, pg_catalog.count(${identifier(column)}) as ${identifier(`c${integer(i).text}`)}`)
    .reduce((all, one) => sql`${all}${one}`, sql``)
  return readAsOwner(owner, COUNT_LIMIT_MS, async (tx) => {
    const [row] = await tx.query<Record<string, number>>(sql`
      select pg_catalog.count(*) as rows${counts} from ${identifier(schema, name)}`)
    return { rows: row!.rows!, filled: columns.map((_, i) => row![`c${i}`]!) }
  })
}
