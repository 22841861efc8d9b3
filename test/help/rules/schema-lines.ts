import type { Db } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'

/** Partitions have the columns and indexes of their table, and names with the days on which they begin. */
const PARTITIONS = sql`
  select n.nspname, relname from pg_class join pg_namespace n on n.oid = relnamespace where relispartition`

/** Describes the columns, constraints and indexes of the platform's tables in a line each, the same on both engines. */
export async function tableLines(db: Db): Promise<string[]> {
  const read = async (statement: Sql) => (await db.query<{ line: string }>(statement)).map(({ line }) => line)
  return [...(await read(COLUMNS)), ...(await read(CONSTRAINTS)).sort(), ...(await read(INDEXES))]
}

const COLUMNS = sql`
  select format('%s.%s.%s %s%s%s', table_schema, table_name, column_name, data_type,
                case when is_nullable = 'NO' then ' not null' else '' end, ' default ' || column_default) as line
  from information_schema.columns
  where table_schema not in ('pg_catalog', 'information_schema')
    and (table_schema, table_name) not in (${PARTITIONS})
  order by table_schema collate "C", table_name collate "C", ordinal_position`

/** Postgres 18 lists NOT NULL here too; the columns tell it already. */
const CONSTRAINTS = sql`
  select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)) as line
  from pg_constraint
  where contype <> 'n' and connamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
    and conrelid not in (select oid from pg_class where relispartition)`

const INDEXES = sql`
  select indexdef as line from pg_indexes where schemaname not in ('pg_catalog', 'information_schema')
    and (schemaname, tablename) not in (${PARTITIONS})
  order by indexdef collate "C"`
