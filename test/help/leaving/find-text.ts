import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'

/** Returns the tables of the platform that have a row with this text in any column, with the number of such rows. */
export async function findInTables(db: Db, text: string): Promise<string[]> {
  const found: string[] = []
  for (const { schema, name } of await listTables(db)) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from ${identifier(schema, name)} as one
      where strpos(lower(one::text), ${text.toLowerCase()}) > 0`)
    if (row!.count > 0) found.push(`${schema}.${name}`)
  }
  return found
}

/** Returns the tables that have a column of this name, without partitions. */
export async function tablesWith(db: Db, column: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select table_schema || '.' || table_name as name from information_schema.columns
    where column_name = ${column} order by name`)
  const tables = new Set((await listTables(db)).map(({ schema, name }) => `${schema}.${name}`))
  return rows.map(({ name }) => name).filter((name) => tables.has(name))
}

async function listTables(db: Db): Promise<{ schema: string; name: string }[]> {
  return db.query(sql`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by 1, 2`)
}
