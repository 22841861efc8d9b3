import { type Sql, sql } from './sql.ts'

/**
 * An array whose length Postgres cannot see when it plans, for statements that run often:
 * `unnest(${anyLength(ids)}::text[])`. A plan for the length of a plain array seems cheaper to Postgres than the plan that it
 * keeps, so that it plans the statement anew at each execution. For the insertion of one call that took 1.2 ms of 1.8.
 */
export function anyLength(values: readonly unknown[]): Sql {
  return sql`(select ${values})`
}
