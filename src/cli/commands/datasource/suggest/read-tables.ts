import { isVector, type Table, type TableColumn } from '#contract/data-sources/suggest/table.ts'
import { type Connection, quoteName } from '../../db/embed/connection.ts'
import { readModel } from '../../db/embed/model-mark.ts'

type Row = {
  schema: string
  table: string
  name: string
  type: string
  category: string
  size: number
  is_key: boolean
  comment: string | null
}

const COLUMNS = `
  select n.nspname as schema, c.relname as table, a.attname as name, t.typname as type, t.typcategory::text as category,
    a.atttypmod as size, coalesce(a.attnum = any(i.indkey), false) as is_key,
    case when t.typname in ('vector', 'halfvec') then pg_catalog.col_description(a.attrelid, a.attnum) end as comment
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_type d on d.oid = a.atttypid
  join pg_catalog.pg_type t on t.oid = case when d.typtype = 'd' then d.typbasetype else d.oid end
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relpersistence <> 't'
    and n.nspname <> 'information_schema' and not pg_catalog.starts_with(n.nspname::text, 'pg_')
  order by 1, 2, a.attnum limit 20000`

/** Reads the structure of all tables and views of the database, and no rows but the size of one vector. */
export async function readTables(db: Connection): Promise<Table[]> {
  await db.query('set default_transaction_read_only = on')
  const rows = await db.query<Row>(COLUMNS)
  const groups = Map.groupBy(rows, ({ schema, table }) => `${quoteName(schema)}.${quoteName(table)}`)
  const tables: Table[] = []
  for (const [quoted, columns] of groups) tables.push(await toTable(db, quoted, columns))
  return tables
}

async function toTable(db: Connection, quoted: string, rows: readonly Row[]): Promise<Table> {
  const columns: TableColumn[] = []
  for (const row of rows) {
    const { name, type, category, is_key: isKey } = row
    const dimensions = await dimensionsOf(db, quoted, row)
    columns.push({ name, type, category, isKey, dimensions, filledBy: readModel(row.comment) })
  }
  return { schema: rows[0]!.schema, name: rows[0]!.table, columns }
}

/**
 * Reads the size of a stored vector where the type of the column does not declare one. Undefined if the database refuses
 * that, as it does for a table of another role: the other tables can still be proposed.
 */
async function dimensionsOf(db: Connection, quoted: string, { name, type, size }: Row): Promise<number | undefined> {
  if (!isVector({ type })) return undefined
  if (size > 0) return size
  const column = quoteName(name)
  const statement = `select vector_dims(${column}) as size from ${quoted} where ${column} is not null limit 1`
  const [found] = await db.query<{ size: number }>(statement).catch(() => [])
  return found?.size
}
