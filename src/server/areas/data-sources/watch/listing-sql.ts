import type { VectorFindingKind } from '#contract/data-sources/vectors.ts'
import { identifier, integer, literal, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Check } from './checks.ts'
import { NORMALISED, RAW } from './norms.ts'
import type { Recipe } from './recipe.ts'
import { rowDigest } from './statements.ts'
import { textColumns } from './text-columns.ts'
import { cosineOf, isConstant, normOf, sizeOf } from './vector-sql.ts'

type Listing = { readonly entry: ResolvedEntry; readonly check: Check; readonly recipe: Recipe | null }

/** SQL that lists the rows of a finding, for the owner of the database. It has no parameters and ends with `;`. */
export function listingSql(kind: VectorFindingKind, listing: Listing): string {
  const { text } = statementOf(kind, listing)
  return `${text.replace(QUOTED_OR_BREAK, (found) => (/^["']/.test(found) ? found : '\n'))};`
}

/** A name or constant, which can have line breaks of its own, or a line break with the blanks around it. */
const QUOTED_OR_BREAK = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\s*\n\s*/g

function statementOf(kind: VectorFindingKind, { entry, check, recipe }: Listing): Sql {
  const vector = sql`${identifier(entry.vector_column)}`
  switch (kind) {
    case 'missing':
      return rowsWhere(entry, sql`${vector} is null${textCondition(entry)}`)
    case 'dimensions':
      return rowsWhere(entry, sql`${sizeOf(entry, vector)} <> ${integer(entry.dimensions)}`)
    case 'zero':
      return rowsWhere(entry, sql`${normOf(entry, vector)} = 0`)
    case 'constant':
      return rowsWhere(entry, isConstant(entry, vector))
    case 'duplicate':
      return duplicates(entry, recipe)
    case 'norms':
      return rowsWhere(entry, sql`${isUsual(entry, vector)}\nand ${normCondition(entry, vector, check)}`)
    case 'models':
      return check.rows.length > 0 ? seenRows(entry, check) : strangers(entry, check)
    case 'stale':
      return seenRows(entry, check)
    case 'grown':
      return sql`select pg_catalog.count(*) as rows\nfrom ${identifier(entry.schema, entry.table)}`
    default:
      throw kind satisfies never
  }
}

function rowsWhere(entry: ResolvedEntry, condition: Sql): Sql {
  return sql`select ${identifier(entry.content[0]!.name)}
    from ${identifier(entry.schema, entry.table)}
    where ${condition}`
}

function textCondition(entry: ResolvedEntry): Sql {
  const columns = textColumns(entry)
  if (columns.length === 0) return sql``
  return sql`\nand pg_catalog.btrim(pg_catalog.concat(${columns.map(named).reduce(listed)})) <> ''`
}

/** With a recipe only its text counts. Otherwise all columns of text must differ. */
function duplicates(entry: ResolvedEntry, recipe: Recipe | null): Sql {
  const columns = recipe?.columns ?? textColumns(entry)
  const texts = recipe ? [sql`pg_catalog.concat_ws(' ', ${columns.map(named).reduce(listed)})`] : columns.map(named)
  const differ = texts.map((text) => sql`and pg_catalog.count(distinct ${text}) > 1`)
  const vector = sql`${identifier(entry.vector_column)}`
  return sql`select pg_catalog.array_agg(${identifier(entry.content[0]!.name)}) as rows
    from ${identifier(entry.schema, entry.table)}
    where ${isUsual(entry, vector)}
    group by ${vector}
    having pg_catalog.count(*) > 1${differ.reduce((all, one) => sql`${all} ${one}`, sql``)}`
}

/** A vector of the right size that is neither zero nor constant. */
function isUsual(entry: ResolvedEntry, vector: Sql): Sql {
  return sql`${sizeOf(entry, vector)} = ${integer(entry.dimensions)} and ${normOf(entry, vector)} > 0
    and not ${isConstant(entry, vector)}`
}

function normCondition(entry: ResolvedEntry, vector: Sql, { fewer }: Check): Sql {
  const distance = sql`pg_catalog.abs(${normOf(entry, vector)} - 1)`
  if (fewer === 'normalised') return sql`${distance} < ${script(String(NORMALISED))}`
  return sql`${distance} >= ${script(String(RAW))}`
}

/** Rows of the samples, because only the model knows the others. */
function seenRows(entry: ResolvedEntry, { rows }: Check): Sql {
  const digests = rows.map((row) => sql`${literal(row)}`).reduce(listed)
  return rowsWhere(entry, sql`${rowDigest(named(entry.content[0]!.name))} in (${digests})`)
}

/** Strangers are among the rows that others are compared with, which makes them less strange than they are. */
const LISTED = 1.3

/** Compares what each row has in common with 300 random ones of other subjects, as `findStrangers` computes it. */
function strangers(entry: ResolvedEntry, { common = { same_subject: 0.5, limit: 1.5 } }: Check): Sql {
  const vector = sql`${identifier(entry.vector_column)}`
  const table = identifier(entry.schema, entry.table)
  const usual = isUsual(entry, vector)
  return sql`with few as materialized (
      select ${vector} as v from ${table} where ${usual} order by pg_catalog.random() limit 300
    ), rows as (
      select ${identifier(entry.content[0]!.name)} as id, ${vector} as v from ${table} where ${usual}
    )
    select rows.id
    from rows cross join lateral (select ${cosineOf(entry, sql`rows.v`, sql`few.v`)} as likeness from few) as compared
    where compared.likeness < ${script(common.same_subject.toFixed(3))}
    group by rows.id
    having pg_catalog.avg(compared.likeness ^ 2) * ${integer(entry.dimensions)} <= ${script((LISTED * common.limit).toFixed(3))}`
}

function named(name: string): Sql {
  return sql`${identifier(name)}`
}

function listed(all: Sql, one: Sql): Sql {
  return sql`${all}, ${one}`
}
