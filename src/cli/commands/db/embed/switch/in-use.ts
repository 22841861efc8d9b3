import { getSource } from '#contract/data-sources/search-config.ts'
import { readTableName } from '#contract/data-sources/table-name.ts'
import type { Opened } from '../options.ts'

/** A vector column that entries of the data source search, and the model that they say filled it. */
export type ColumnInUse = { readonly column: string; readonly model: string; readonly labels: readonly string[] }
type SourceInUse = { readonly source_id: string; readonly exposed: boolean; readonly columns: ColumnInUse[] }

/** Finds the vector columns of the table that the data source of the database searches. */
export async function findColumnsInUse({ client, db, name }: Opened, oid: string): Promise<SourceInUse> {
  const { source_id, exposed, connection_config } = await client.call(getSource, { id: `db_${name}` })
  const columns: { column: string; model: string; labels: string[] }[] = []
  for (const {
    table,
    columns: [column],
    model,
    label,
  } of connection_config.embedding_configs) {
    if (column === undefined || (await oidOf(db, table)) !== oid) continue
    const same = columns.find((each) => each.column === column && each.model === model)
    if (same) same.labels.push(label)
    else columns.push({ column, model, labels: [label] })
  }
  return { source_id, exposed, columns }
}

/** Follows the search path where the configuration names no schema, as the server does. */
async function oidOf(db: Opened['db'], table: string): Promise<string | undefined> {
  const { schema = null, name } = readTableName(table) ?? { name: table }
  const [row] = await db.query<{ oid: string }>(
    `select c.oid::text as oid
     from pg_class c join pg_namespace n on n.oid = c.relnamespace, current_schemas(false) path
     where c.relname = $2 and n.nspname = coalesce($1::text, n.nspname)
       and ($1::text is not null or n.nspname = any(path))
     order by array_position(path, n.nspname) limit 1`,
    [schema, name],
  )
  return row?.oid
}
