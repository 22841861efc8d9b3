import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'

/** One character more than an answer can hold: a longer value is cut anyway and need not cross the wire. */
const MAX_VALUE_CHARACTERS = 16_385

/** Each content column under a short name of ours: the first is `c0`. */
export function contentColumns({ content }: Pick<ResolvedEntry, 'content'>): Sql {
  return content.map(({ name }, i) => sql`${identifier(name)} as ${identifier(`c${i}`)}`).reduce(joined)
}

/** The columns of the subquery `found` as text, under the same names, and their types in the column `types`. */
export function contentTexts({ content }: Pick<ResolvedEntry, 'content'>): Sql {
  const found = content.map((_, i) => sql`${identifier('found', `c${i}`)}`)
  const values = found.map((column, i) => sql`${asText(column)} as ${identifier(`c${i}`)}`)
  return sql`${values.reduce(joined)}, ${typesOf(found)} as types`
}

/**
 * The value as Postgres writes it. The session must write dates in ISO style (`searchSettings`). The collation is the
 * same for every column, because a prepared statement fails once a column of its result has another one.
 */
export function asText(column: Sql): Sql {
  return sql`pg_catalog.left(${column}::pg_catalog.text, ${integer(MAX_VALUE_CHARACTERS)}) collate pg_catalog."C"`
}

/**
 * The types these columns have when the statement runs, as an array of OIDs in text. A column may have another type
 * than at saving, and a hit shows it by its present one. The empty CASE has the type under a domain, and no value.
 */
function typesOf(columns: readonly Sql[]): Sql {
  const types = columns.map((column) => sql`pg_catalog.pg_typeof(case when false then ${column} end)::pg_catalog.oid`)
  return sql`array[${types.reduce(joined)}]::pg_catalog.text`
}

function joined(all: Sql, one: Sql): Sql {
  return sql`${all}, ${one}`
}
