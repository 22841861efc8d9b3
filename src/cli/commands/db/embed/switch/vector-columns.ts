import { type Connection, quoteName } from '../connection.ts'
import { findRelation } from '../find-table.ts'
import { type Mark, readMark } from './column-mark.ts'

export type VectorColumn = {
  readonly name: string
  /** Without its size; a domain counts as vector. */
  readonly type: 'vector' | 'halfvec'
  /** Undefined if the column takes vectors of any size. */
  readonly dimensions: number | undefined
  readonly comment: string | null
  readonly mark: Mark | undefined
}

/** A table whose model is changed. */
export type SwitchTable = {
  readonly oid: string
  readonly schema: string
  readonly name: string
  readonly shown: string
  /** Name for SQL. */
  readonly quoted: string
  readonly isPartitioned: boolean
  /** Bytes of the table with its indexes. */
  readonly bytes: number
  /** Schema of the extension, quoted. */
  readonly extension: string
  readonly columnNames: readonly string[]
}

export async function findSwitchTable(db: Connection, tableName: string): Promise<SwitchTable> {
  const { oid, kind, schema, name } = await findRelation(db, tableName)
  const [facts] = await db.query<{ bytes: number; extension: string | null }>(
    `select pg_total_relation_size($1::oid)::float8 as bytes, (select n.nspname from pg_extension e
       join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector') as extension`,
    [oid],
  )
  const columns = await db.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped',
    [oid],
  )
  return {
    oid,
    schema,
    name,
    shown: `${schema}.${name}`,
    quoted: `${quoteName(schema)}.${quoteName(name)}`,
    isPartitioned: kind === 'p',
    bytes: facts!.bytes,
    extension: quoteName(facts!.extension ?? 'public'),
    columnNames: columns.map((column) => column.name),
  }
}

/** Finds the columns of the types vector and halfvec, also under a domain. */
export async function findVectorColumns(db: Connection, { oid }: Pick<SwitchTable, 'oid'>): Promise<VectorColumn[]> {
  const rows = await db.query<{ name: string; type: string; size: number; comment: string | null }>(
    `select a.attname as name, t.typname as type, a.atttypmod as size, col_description(a.attrelid, a.attnum) as comment
     from pg_attribute a join pg_type d on d.oid = a.atttypid
       join pg_type t on t.oid = case when d.typtype = 'd' then d.typbasetype else d.oid end
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped and t.typname in ('vector', 'halfvec')
     order by a.attnum`,
    [oid],
  )
  return rows.map(({ name, type, size, comment }) => ({
    name,
    type: type === 'halfvec' ? 'halfvec' : 'vector',
    dimensions: size > 0 ? size : undefined,
    comment,
    mark: readMark(comment),
  }))
}
