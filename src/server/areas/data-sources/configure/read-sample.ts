import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'
import { contentColumns } from '../search/column-text.ts'
import { embeddedText } from '../search/embedded-text.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'
import type { PersonValues } from '../search/person.ts'
import type { Reader } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'

/** Rows of a table, as questions see them. `texts[i]` is the content of the row with the vector `stored[i]`. */
type RowSample = { readonly texts: readonly string[]; readonly stored: readonly number[][] }

/** Rows whose content leaves the database. */
const MAX_CONTENT_ROWS = 8
/** Vectors that are compared, most of them of rows whose content is not read. */
const MAX_VECTORS = 64
/** Bounds what crosses the wire: 64 vectors of 4,000 numbers, or 16 of the largest ones. */
const MAX_NUMBERS = 256_000
/** The rows are spread over this many at the start of the table, because rows beside each other are often alike. */
const SPREAD_ROWS = 1_000

/** Reads a sample with the rights, the policies and the time limit of questions. Rows without text have no content. */
export async function readSample(reader: Reader, entry: ResolvedEntry, person?: PersonValues): Promise<RowSample> {
  const rows = await reader.reads(
    (on) => on.query<{ content: string | null; vector: string }>(sampleStatement(entry)),
    searchSettings({ entry, filters: [] }),
    person,
  )
  const withContent = rows.filter(({ content }) => content !== null)
  const others = rows.filter(({ content }) => content === null)
  return {
    texts: withContent.map(({ content }) => content!),
    stored: [...withContent, ...others].map(({ vector }) => JSON.parse(vector) as number[]),
  }
}

function sampleStatement(entry: ResolvedEntry): Sql {
  const vectors = Math.max(16, Math.min(MAX_VECTORS, Math.floor(MAX_NUMBERS / entry.dimensions)))
  return sql`
    with near as (
      select ${contentColumns(entry)}, ${identifier(entry.vector_column)} as vector
      from ${fromTable(entry)}
      where ${hasColumns(entry, [])} and ${identifier(entry.vector_column)} is not null
      limit ${integer(SPREAD_ROWS)}
    ), numbered as (
      select near.*, pg_catalog.row_number() over () - 1 as number, pg_catalog.count(*) over () as total from near
    ), spread as (
      select ${embeddedText(entry, 'numbered')} as content, vector::pg_catalog.text as vector, number
      from numbered
      where number % greatest(1, total / ${integer(vectors)}) = 0
      order by number limit ${integer(vectors)}
    ), told_apart as (
      select *, pg_catalog.btrim(content) <> '' and pg_catalog.row_number() over (partition by content order by number) = 1
        as has_own_content
      from spread
    )
    select vector, case when has_own_content
      and pg_catalog.count(*) filter (where has_own_content) over (order by number) <= ${integer(MAX_CONTENT_ROWS)}
      then content end as content
    from told_apart order by number`
}
