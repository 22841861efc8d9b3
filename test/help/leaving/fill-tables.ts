import type { Db, Tx } from '#lib/db/db.ts'
import { identifier, literal, script, sql } from '#lib/db/sql.ts'

type Column = { name: string; type: string; is_required: boolean; choice: string | null }

/**
 * Inserts a row into each table, for tables that no operation of a test reaches. Columns of type text get `text`, unless a
 * constraint lists what they can be or `values` has something for their name. References are not checked, so that each
 * table can be filled alone.
 */
export async function fillTables(
  db: Db,
  tables: readonly string[],
  { text, values }: { text: string; values: Readonly<Record<string, string>> },
): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(script('set local session_replication_role = replica'))
    for (const table of tables) {
      const [schema = '', name = ''] = table.split('.')
      const columns = (await columnsOf(tx, schema, name)).filter(
        (column) => column.is_required || column.name in values,
      )
      const listed = columns.map((column) => identifier(column.name).text).join(', ')
      const row = columns.map((column) => literal(valueFor(column, text, values)).text).join(', ')
      await tx.query(script(`insert into ${identifier(schema, name).text} (${listed}) values (${row})`))
    }
  })
}

/** The first value that a constraint of the column lists, such as a state, comes along as `choice`. */
async function columnsOf(tx: Tx, schema: string, name: string): Promise<Column[]> {
  return tx.query<Column>(sql`
    select a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef and a.attidentity = '' as is_required,
      (select substring(pg_get_constraintdef(c.oid) from 'ARRAY\\[''([a-z_]+)''') from pg_constraint c
       where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum] limit 1) as choice
    from pg_attribute a
    where a.attrelid = ${`${schema}.${name}`}::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`)
}

/** Values of columns for which the type is not enough. */
const BY_NAME: Readonly<Record<string, string>> = {
  content: '',
  size: '0',
  sha256: '\\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  enabled: 'false',
}
const BY_TYPE: Readonly<Record<string, string>> = {
  'timestamp with time zone': '2031-05-06T07:00:00Z',
  date: '2031-05-06',
  boolean: 'true',
  bytea: `\\x${'01'.repeat(16)}`,
  jsonb: '{}',
  'text[]': '{}',
}

function valueFor({ name, type, choice }: Column, text: string, values: Readonly<Record<string, string>>): string {
  return values[name] ?? BY_NAME[name] ?? choice ?? (type === 'text' ? text : (BY_TYPE[type] ?? '1'))
}
