import { identifier, integer, type Sql, script, sql } from '#lib/db/sql.ts'
import { contentColumns } from '../search/column-text.ts'
import { embeddedText } from '../search/embedded-text.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'
import { readVector } from './points.ts'
import type { Run } from './runner.ts'

/** A row that questions are made from. */
export type SampledRow = { readonly text: string; readonly vector: Float32Array }

const MAX_ROWS = 400
/** Bounds what crosses the wire: 400 vectors of 2,500 numbers, or 100 of 10,000. */
const MAX_NUMBERS = 1_000_000

/** Reads random rows with different texts. `tableRows` is an estimate: a wrong one changes how many are read. */
export async function readRows(
  run: Run,
  { entry, tableRows }: { entry: ResolvedEntry; tableRows: number },
): Promise<SampledRow[]> {
  const { rows } = await run<{ text: string; vector: string }>(entry, rowsStatement(entry, tableRows))
  const byText = new Map(rows.map(({ text, vector }) => [text, vector]))
  return [...byText].map(([text, vector]) => ({ text, vector: readVector(vector) }))
}

/** Chooses rows by `random()`, because a view has no TABLESAMPLE. */
function rowsStatement(entry: ResolvedEntry, tableRows: number): Sql {
  const limit = Math.min(MAX_ROWS, Math.max(1, Math.floor(MAX_NUMBERS / entry.dimensions)))
  const share = Math.min(1, (2 * limit) / Math.max(tableRows, 1))
  const vector = identifier(entry.vector_column)
  return sql`
    with sampled as (
      select ${contentColumns(entry)}, ${vector} as vector
      from ${fromTable(entry)}
      where ${hasColumns(entry, [])} and ${vector} is not null and pg_catalog.random() < ${script(share.toFixed(8))}
      limit ${integer(limit)}
    )
    select ${embeddedText(entry, 'sampled')} as text, vector::pg_catalog.text as vector from sampled`
}
