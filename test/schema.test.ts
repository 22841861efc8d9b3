import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** Partitions have the columns and indexes of their table, and names with the days on which they begin. */
const PARTITIONS = sql`
  select n.nspname, relname from pg_class join pg_namespace n on n.oid = relnamespace where relispartition`

/** Update with `npx vitest run test/schema.test.ts -u`, and read the difference. */
it('the migrations make the schema that is checked in, the same on both engines', async () => {
  const lines = [...(await columns()), ...(await constraints()), ...(await indexes())]
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('schema.txt')
})

async function columns(): Promise<string[]> {
  const rows = await database.db.query<{ line: string }>(sql`
    select format('%s.%s.%s %s%s%s', table_schema, table_name, column_name, data_type,
                  case when is_nullable = 'NO' then ' not null' else '' end, ' default ' || column_default) as line
    from information_schema.columns
    where table_schema not in ('pg_catalog', 'information_schema')
      and (table_schema, table_name) not in (${PARTITIONS})
    order by table_schema collate "C", table_name collate "C", ordinal_position`)
  return rows.map(({ line }) => line)
}

/** Postgres 18 lists NOT NULL here too; the columns tell it already. */
async function constraints(): Promise<string[]> {
  const rows = await database.db.query<{ line: string }>(sql`
    select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)) as line
    from pg_constraint
    where contype <> 'n' and connamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
      and conrelid not in (select oid from pg_class where relispartition)`)
  return rows.map(({ line }) => line).sort()
}

async function indexes(): Promise<string[]> {
  const rows = await database.db.query<{ indexdef: string }>(sql`
    select indexdef from pg_indexes where schemaname not in ('pg_catalog', 'information_schema')
      and (schemaname, tablename) not in (${PARTITIONS})
    order by indexdef collate "C"`)
  return rows.map(({ indexdef }) => indexdef)
}
