import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import { readTableName } from '#contract/data-sources/table-name.ts'
import { usageError } from '../../../command/hinted-error.ts'
import { type Connection, quoteName } from './connection.ts'

type Key = { name: string; type: string }
/** A table to fill. All names are quoted, ready for SQL. */
export type FoundTable = {
  shown: string
  table: string
  /** Columns of the primary key, or `ctid` if the table has none. */
  keys: readonly Key[]
  /** Expression that joins the text columns of the table, as `t`, with blanks. */
  text: string
  column: string
  /** Type of the vector column with its size, as in `vector(384)`. */
  vectorType: string
  /** Undefined if the column takes vectors of any size. */
  dimensions: number | undefined
}

type Column = { name: string; type: string; typmod: number; key_place: number | null }
type Relation = { oid: string; kind: string }

/** Finds the table and its columns. Throws an error that names the nearest one that exists. */
export async function findTable(
  db: Connection,
  given: { table: string; text: readonly string[]; column: string },
): Promise<FoundTable> {
  const { oid, kind, schema, name } = await findRelation(db, given.table)
  const columns = await db.query<Column>(COLUMNS, [oid])
  const shown = `${schema}.${name}`
  for (const columnName of [...given.text, given.column]) {
    if (!columns.some((column) => column.name === columnName)) throw noColumn(columnName, shown, columns)
  }
  const vector = columns.find((column) => column.name === given.column)!
  return {
    shown,
    table: `${quoteName(schema)}.${quoteName(name)}`,
    keys: keysOf(columns, kind, shown),
    text: `concat_ws(' ', ${given.text.map((column) => `nullif(t.${quoteName(column)}::text, '')`).join(', ')})`,
    column: quoteName(given.column),
    ...vectorOf(vector, shown),
  }
}

const COLUMNS = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.atttypmod as typmod,
    array_position(i.indkey::int2[], a.attnum) as key_place
  from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
  where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`

/** Finds a table by its name. Throws an error that names the nearest one if there is none, or if it is a view. */
export async function findRelation(db: Connection, given: string) {
  const parsed = readTableName(given)
  if (!parsed) throw usageError(`--table must be name or schema.name, not ${given}.`)
  const { schema = 'public', name } = parsed
  const [found] = await db.query<Relation>(
    `select c.oid::text, c.relkind::text as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
    [schema, name],
  )
  if (!found) throw await noTable(db, `${schema}.${name}`)
  if (found.kind !== 'r' && found.kind !== 'p') {
    throw usageError(`${schema}.${name} is not a table. Name the table that holds its rows.`)
  }
  return { ...found, schema, name }
}

async function noTable(db: Connection, tableName: string): Promise<ServiceError> {
  const tables = await db.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
     order by 1 limit 1000`,
  )
  const names = tables.map(({ name }) => name)
  return new ServiceError(
    'NOT_FOUND',
    `No such table: ${tableName}.${choice(tableName, names, 'The database has no tables.')}`,
  )
}

function noColumn(columnName: string, table: string, columns: readonly Column[]): ServiceError {
  const names = columns.map(({ name }) => name)
  return new ServiceError(
    'NOT_FOUND',
    `${table} has no column ${columnName}.${choice(columnName, names, 'It has no columns.')}`,
  )
}

function choice(missingName: string, names: readonly string[], none: string): string {
  const near = suggest(missingName, names)
  if (near !== undefined) return ` Did you mean ${near}?`
  return names.length === 0
    ? ` ${none}`
    : ` There are ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}.`
}

/** Without a primary key a row is found by its place, which is unique in a table without partitions only. */
function keysOf(columns: readonly Column[], kind: string, shown: string): Key[] {
  const keys = columns.filter(({ key_place }) => key_place !== null).toSorted((a, b) => a.key_place! - b.key_place!)
  if (keys.length > 0) return keys.map(({ name, type }) => ({ name: quoteName(name), type }))
  if (kind === 'r') return [{ name: 'ctid', type: 'tid' }]
  throw usageError(`${shown} has partitions and no primary key. Add a primary key first.`)
}

function vectorOf({ name, type, typmod }: Column, shown: string): Pick<FoundTable, 'vectorType' | 'dimensions'> {
  if (!/^(?:\S+\.)?(?:vector|halfvec)(?:\(\d+\))?$/.test(type)) {
    throw usageError(
      `The column ${name} of ${shown} is ${type}. It must be vector or halfvec, with the size of the model.`,
    )
  }
  return { vectorType: type, dimensions: typmod > 0 ? typmod : undefined }
}
