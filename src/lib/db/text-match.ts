import { type Sql, sql } from './sql.ts'

/** A condition: one of the columns contains the text, in any case. No character of the text is a wildcard. */
export function containsText(columns: readonly Sql[], text: string): Sql {
  return joinOr(columns.map((column) => sql`strpos(lower(${column}), lower(${text}::text)) > 0`))
}

/** An order: rows with a column that is the text, then those with one that begins with it, then the others. */
export function nearestFirst(columns: readonly Sql[], text: string): Sql {
  const is = joinOr(columns.map((column) => sql`lower(${column}) = lower(${text}::text)`))
  const begins = joinOr(columns.map((column) => sql`starts_with(lower(${column}), lower(${text}::text))`))
  return sql`case when ${is} then 0 when ${begins} then 1 else 2 end`
}

function joinOr(conditions: readonly Sql[]): Sql {
  return sql`(${conditions.reduce((all, one) => sql`${all} or ${one}`)})`
}
