import { type Sql, sql } from '#lib/db/sql.ts'

/** Settings of a tenant's own, such as `app.email`, that a reader's statement runs under. No later statement has them. */
export type LocalSettings = Readonly<Record<string, string>>

/** Sets them until the end of the transaction. Returns no row. */
export function setLocally(settings: LocalSettings): Sql {
  const calls = Object.entries(settings)
    .map(([name, value]) => sql`pg_catalog.set_config(${name}, ${value}, true)`)
    .reduce((all, one) => sql`${all} operator(pg_catalog.||) ${one}`)
  return sql`select where (${calls}) is null`
}
