import { sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'
import type { ReadsOn } from './reader.ts'

export type VectorIndex = {
  name: string
  method: 'hnsw' | 'ivfflat'
  operator_class: string
  /** False while the index is being built, and after a build that failed. */
  valid: boolean
  /** Whether the index covers only the rows of its WHERE clause. */
  partial: boolean
  /** The number of lists of an IVFFlat index. */
  lists: number
  /** Number of the index's file, which changes when the index is built again. */
  file: number
}

export type Indexes = {
  oid: number
  /** https://www.postgresql.org/docs/15/catalog-pg-class.html, relkind */
  kind: string
  /** The version of the vector extension; null when the database no longer has it. */
  version: string | null
  /** Estimated number of rows, as of the last vacuum or analyze; -1 before the first. */
  rows: number
  found: VectorIndex[]
}

/** Finds the vector indexes that an entry's column has now. Returns undefined if the table is gone. */
export async function findVectorIndexes(
  on: ReadsOn,
  entry: Pick<ResolvedEntry, 'schema' | 'table' | 'vector_column'>,
): Promise<Indexes | undefined> {
  const rows = await on.query<Omit<Indexes, 'found'> & (VectorIndex | { name: null })>(sql`
    select c.oid::int8 as oid, c.relkind::text as kind,
           (select e.extversion from pg_catalog.pg_extension e where e.extname = 'vector') as version,
           c.reltuples::float8 as rows, i.name, i.method, i.operator_class, i.valid, i.partial, i.lists, i.file
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join lateral (
      select x.relname as name, m.amname as method, o.opcname as operator_class,
             x.relfilenode::int8 as file, d.indisvalid as valid, d.indpred is not null as partial,
             coalesce((select option_value::int from pg_catalog.pg_options_to_table(x.reloptions)
                       where option_name = 'lists'), 100) as lists
      from pg_catalog.pg_index d
      join pg_catalog.pg_class x on x.oid = d.indexrelid
      join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('hnsw', 'ivfflat')
      join pg_catalog.pg_opclass o on o.oid = d.indclass[0]
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.indkey[0]
      where d.indrelid = c.oid and a.attname = ${entry.vector_column}::text
    ) i on true
    where n.nspname = ${entry.schema}::text and c.relname = ${entry.table}::text
    order by i.name`)
  const [first] = rows
  if (!first) return undefined
  const { oid, kind, version, rows: estimate } = first
  // Without the columns of the table: the estimated rows would make the same index look like another one.
  const found = rows.flatMap((row) => (row.name === null ? [] : indexIn(row)))
  return { oid, kind, version, rows: estimate, found }
}

function indexIn({ name, method, operator_class, valid, partial, lists, file }: VectorIndex): VectorIndex {
  return { name, method, operator_class, valid, partial, lists, file }
}
