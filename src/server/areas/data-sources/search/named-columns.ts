import { identifier, literal, type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'

/*
 * A statement over a tenant's table must never return a column that was not named, also when a named one was renamed
 * or dropped since. Postgres does not simply fail on an unknown column:
 *  - a bare name that is no column is a whole row, if FROM has a table or alias of that name;
 *  - `alias.name`, where the alias has no such column, is the function call `name(alias)`: `to_json(alias)`, or a
 *    function of the tenant's own that takes the row.
 * So columns are written as bare names, which never stand for a function, and the only item of FROM has an alias that
 * none of these columns has. Name and table are then resolved together, under the lock of the table.
 */

type NamingEntry = Pick<ResolvedEntry, 'schema' | 'table' | 'vector_column' | 'content' | 'filters'>

/** The table of an entry for FROM, which must have no other item. */
export function fromTable(entry: NamingEntry): Sql {
  return sql`${identifier(entry.schema, entry.table)} as ${identifier(aliasOf(entry))}`
}

/** An alias that no column of the entry has. It is numbered, because Postgres cuts names after 63 bytes. */
function aliasOf(entry: NamingEntry): string {
  const columnNames = new Set(namesOf(entry, Object.keys(entry.filters)))
  let number = 0
  while (columnNames.has(`read${number}`)) number++
  return `read${number}`
}

function namesOf({ vector_column, content }: NamingEntry, filters: readonly string[]): string[] {
  return [...new Set([...content.map(({ name }) => name), vector_column, ...filters])]
}

/** Columns that every table has. Only a view can have one of its own with such a name. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'])

/**
 * A condition that is true while the table has the vector column, all content columns and these filter columns, and
 * otherwise fails with 42703 (undefined column). Postgres evaluates it once per statement, from its cache of the
 * catalogue: 0.01 ms, where counting rows of `pg_attribute` takes 0.1 ms.
 */
export function hasColumns(entry: NamingEntry, filters: readonly string[]): Sql {
  const table = sql`${literal(identifier(entry.schema, entry.table).text)}::pg_catalog.regclass::pg_catalog.oid`
  const columnName = (name: string) => (SYSTEM_COLUMNS.has(name) ? ownColumn(table, name) : sql`${literal(name)}`)
  return namesOf(entry, filters)
    .map((name) => sql`pg_catalog.has_column_privilege(${table}, ${columnName(name)}, 'select')`)
    .reduce((all, one) => sql`${all} and ${one}`)
}

/** The name if the table has such a column beside its system columns, otherwise '', which no column can be called. */
function ownColumn(table: Sql, name: string): Sql {
  return sql`(select coalesce(pg_catalog.max(own.attname::pg_catalog.text), '')
    from pg_catalog.pg_attribute as own
    where own.attrelid = ${table} and own.attname = ${literal(name)} and own.attnum > 0)`
}
