import { integer, type Sql, sql } from '#lib/db/sql.ts'

/** Rows of a page of which nothing is known yet. */
const GUESSED_ROWS_PER_PAGE = 4

/** `counted`: as Postgres counted last, -1 before the first time. `rows`: estimated from the pages of now. */
export type TableSize = { readonly pages: number; readonly rows: number; readonly counted: number }

/** Estimates the size of a table with its partitions. Takes no lock and reads no row. */
export function tableSizeStatement(oid: number): Sql {
  return sql`
    with parts as (
      select part.reltuples::pg_catalog.float8 as counted, part.relpages,
             pg_catalog.pg_relation_size(part.oid) / pg_catalog.current_setting('block_size')::pg_catalog.int8 as pages
      from pg_catalog.pg_class as part
      where part.relkind in ('r', 'm')
        and (part.oid = ${oid} or part.oid in (select relid from pg_catalog.pg_partition_tree(${oid}))))
    select coalesce(pg_catalog.sum(pages), 0)::pg_catalog.float8 as pages,
           coalesce(pg_catalog.sum(counted), -1)::pg_catalog.float8 as counted,
           coalesce(pg_catalog.sum(pages * case when relpages > 0 and counted > 0 then counted / relpages
             else ${integer(GUESSED_ROWS_PER_PAGE)} end), 0)::pg_catalog.float8 as rows
    from parts`
}
