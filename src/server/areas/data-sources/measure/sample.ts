import { identifier, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'

/** Reads the vectors of about this many random rows. `tableRows` is an estimate: a wrong one changes how many are read. */
export function sampleStatement(entry: ResolvedEntry, tableRows: number, wanted: number): Sql {
  const vector = identifier(entry.vector_column)
  // Twice as many as wanted, because the number of sampled rows varies and vectors may be null.
  const percent = Math.min(100, (200 * wanted) / Math.max(tableRows, 1))
  return sql`
    select ${vector}::pg_catalog.text as vector
    from ${fromTable(entry)} tablesample bernoulli (${script(percent.toFixed(6))})
    where ${hasColumns(entry, [])} and ${vector} is not null
    limit ${wanted}`
}
