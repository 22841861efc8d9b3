import { MAX_KNOWN_VALUE_LENGTH, MAX_KNOWN_VALUES } from '#contract/data-sources/known-values.ts'
import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'
import { personalSearchError, searchError } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import { distanceOperator } from './metrics.ts'
import { fromTable, hasColumns } from './named-columns.ts'
import type { PersonValues } from './person.ts'
import type { Reader } from './reader.ts'
import { underPolicies } from './row-security.ts'
import { searchSettings } from './settings.ts'

const MAX_ROWS = 10_000

type KnownValues = { readonly values: readonly string[]; readonly isComplete: boolean }
type Row = { readonly rows: number; readonly values: readonly string[]; readonly has_long: boolean | null }

/** Reads the values of a column as a question reads rows: as its role, under its policies, with the claims of the person. */
export async function readKnownValues(
  db: Reader,
  entry: ResolvedEntry,
  column: string,
  person: PersonValues | undefined,
): Promise<KnownValues> {
  if (entry.person_settings && !person) throw new TypeError('the values of a source by person need a person')
  try {
    const session = searchSettings({ entry, filters: [] })
    const [row] = await db.reads((on) => on.query<Row>(valuesStatement(entry, column)), session, person)
    const { rows, values, has_long } = row!
    return { values, isComplete: rows <= MAX_ROWS && values.length <= MAX_KNOWN_VALUES && has_long !== true }
  } catch (error) {
    throw person ? personalSearchError(error) : searchError(error)
  }
}

/**
 * Reads only rows that a question can find: with a vector, and one that has a distance, which zeros do not have from
 * anything. No number of rows leaves the statement but whether the limit was reached.
 */
function valuesStatement(entry: ResolvedEntry, column: string): Sql {
  const vector = identifier(entry.vector_column)
  const findable = sql`${vector} is not null
        and (${vector} ${distanceOperator(entry)} ${vector}) < 'infinity'::pg_catalog.float8
        and ${hasColumns(entry, [column])}`
  return sql`
    with found as materialized (
      select pg_catalog.left(${identifier(column)}::pg_catalog.text, ${integer(MAX_KNOWN_VALUE_LENGTH + 1)})
        collate pg_catalog."C" as value
      from ${fromTable(entry)}
      where ${entry.person_settings ? sql`${underPolicies(entry)} and ${findable}` : findable}
      limit ${integer(MAX_ROWS + 1)}
    )
    select
      (select pg_catalog.count(*)::pg_catalog.int4 from found) as rows,
      (select pg_catalog.bool_or(pg_catalog.length(value) > ${integer(MAX_KNOWN_VALUE_LENGTH)}) from found) as has_long,
      array(
        select distinct value from found
        where pg_catalog.length(value) <= ${integer(MAX_KNOWN_VALUE_LENGTH)}
        limit ${integer(MAX_KNOWN_VALUES + 1)}) as values`
}
