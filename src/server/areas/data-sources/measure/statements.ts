import { identifier, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'

/** Asks whether another session uses the table at this moment. Everybody may read which relations are locked. */
export function busyStatement({ oid }: Pick<ResolvedEntry, 'oid'>): Sql {
  return sql`
    select exists (
      select from pg_catalog.pg_locks as held
      where held.locktype = 'relation' and held.relation = ${oid}::pg_catalog.oid
        and held.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
        and held.pid <> pg_catalog.pg_backend_pid()) as busy`
}

/** Reads the vectors of about this many random rows. `tableRows` is an estimate: a wrong one changes how many are read. */
export function sampleStatement(entry: ResolvedEntry, tableRows: number, sampleRows: number): Sql {
  const vector = identifier(entry.vector_column)
  // Twice as many as wanted, because the number of sampled rows varies and vectors may be null.
  const percent = Math.min(100, (200 * sampleRows) / Math.max(tableRows, 1))
  return sql`
    select ${vector}::pg_catalog.text as vector
    from ${fromTable(entry)} tablesample bernoulli (${script(percent.toFixed(6))})
    where ${hasColumns(entry, [])} and ${vector} is not null
    limit ${sampleRows}`
}

/** Leaves the content out of the answer: only distances are compared, because rows at the same distance are as good. */
export function distancesOf(search: Sql): Sql {
  return sql`select answer.distance from (${search}) as answer`
}
