import { identifier, integer, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'
import { BUDGET } from './budget.ts'
import { NEAR_NORMALISED, NORMALISED, type NormCounts, RAW } from './norms.ts'
import type { Recipe } from './recipe.ts'
import type { TableSize } from './table-size.ts'
import { isConstant, normOf, sizeOf } from './vector-sql.ts'

/** A random part of the pages of a table; another seed gives another part. */
type PageSample = { readonly percent: number; readonly seed: number }

export function pageSample(size: TableSize, rows: number, seed: number): PageSample {
  return { percent: Math.min(100, (100 * rows) / Math.max(size.rows, 1)), seed }
}

function sampled(entry: ResolvedEntry, { percent, seed }: PageSample): Sql {
  const share = script(percent.toFixed(6))
  return sql`${fromTable(entry)} tablesample system (${share}) repeatable (${integer(seed)})`
}

export type Look = NormCounts & {
  readonly rows: number
  readonly missing: number
  readonly filled: number
  readonly dimensions: number
  readonly zero: number
  readonly constant: number
  readonly duplicate: number
}

type Texts = { readonly columns: readonly string[]; readonly recipe: Recipe | undefined }

/** Looks at the vectors where they are. Only counts leave the database. */
export function lookStatement(entry: ResolvedEntry, texts: Texts, sample: PageSample, limit: number): Sql {
  const names = texts.columns.map((_, i) => sql`${identifier(`t${i}`)}`)
  const vector = sql`part.v`
  const length = sql`pg_catalog.abs(looked.length - 1)`
  const isUsual = sql`has_size and length > 0 and not is_constant`
  return sql`
    with looked as (
      select part.v is null as is_missing, ${hasText(names)} as has_text,
             ${sizeOf(entry, vector)} = ${integer(entry.dimensions)} as has_size,
             ${normOf(entry, vector)} as length,
             coalesce(${isConstant(entry, vector)}, false) as is_constant,
             pg_catalog.md5(${sendOf(entry, vector)}) as digest
             ${digestsOf(texts, names)
               .map((text, i) => sql`, ${text} as ${identifier(`d${i}`)}`)
               .reduce(joined, sql``)}
      from (
        select ${identifier(entry.vector_column)} as v
               ${texts.columns.map((name, i) => sql`, ${cut(name)} as ${identifier(`t${i}`)}`).reduce(joined, sql``)}
        from ${sampled(entry, sample)}
        where ${hasColumns(entry, [])}
        limit ${integer(limit)}
      ) as part
    ), shared as (
      select pg_catalog.count(*) as copies from looked
      where ${isUsual}
      group by digest
      having pg_catalog.count(*) > 1 and ${differ(digestsOf(texts, names).length)}
    )
    select pg_catalog.count(*)::pg_catalog.float8 as rows,
           ${countOf(sql`is_missing and has_text`)} as missing,
           ${countOf(sql`not is_missing`)} as filled,
           ${countOf(sql`not has_size`)} as dimensions,
           ${countOf(sql`length = 0`)} as zero,
           ${countOf(sql`has_size and is_constant`)} as "constant",
           ${countOf(sql`${isUsual} and ${length} < ${script(String(NORMALISED))}`)} as at_one,
           ${countOf(sql`${isUsual} and ${length} >= ${script(String(NORMALISED))} and ${length} < ${script(String(NEAR_NORMALISED))}`)} as near_one,
           ${countOf(sql`${isUsual} and ${length} >= ${script(String(RAW))}`)} as off_one,
           coalesce((select pg_catalog.sum(copies) from shared), 0)::pg_catalog.float8 as duplicate
    from looked`
}

function countOf(condition: Sql): Sql {
  return sql`(pg_catalog.count(*) filter (where ${condition}))::pg_catalog.float8`
}

/** Without columns of text, every row counts as one that should have a vector. */
function hasText(names: readonly Sql[]): Sql {
  if (names.length === 0) return sql`true`
  return sql`pg_catalog.btrim(pg_catalog.concat(${names.reduce(listed)})) <> ''`
}

/** With a recipe only its text counts. Otherwise the vector may be of any column, so all of them must differ. */
function digestsOf({ columns, recipe }: Texts, names: readonly Sql[]): Sql[] {
  if (!recipe) return names.map(plainDigest)
  const parts = recipe.columns.map((column) => names[columns.indexOf(column)]!)
  return [plainDigest(sql`pg_catalog.concat_ws(' ', ${parts.reduce(listed)})`)]
}

/** Letters and digits of the beginning: models ignore the case, many signs and what lies beyond their limit. */
function plainDigest(text: Sql): Sql {
  const plain = sql`pg_catalog.lower(pg_catalog.left(${text}, 400) collate pg_catalog."default")`
  return sql`pg_catalog.md5(pg_catalog.regexp_replace(${plain}, '[^[:alnum:]]+', '', 'g'))`
}

function differ(digests: number): Sql {
  if (digests === 0) return sql`false`
  return Array.from({ length: digests }, (_, i) => sql`pg_catalog.count(distinct ${identifier(`d${i}`)}) > 1`).reduce(
    (all, one) => sql`${all} and ${one}`,
  )
}

/** A row that is read: its vector as text, a digest of its id, and its texts if they may be read. */
export type ReadRow = { readonly vector: string; readonly row: string } & Readonly<Record<`t${number}`, string | null>>

type Reading = {
  readonly sample: PageSample
  /** Of the sampled rows every `step`-th is read, beginning with this one. */
  readonly step: number
  readonly offset: number
  readonly limit: number
  readonly textColumns: readonly string[]
}

export function readStatement(entry: ResolvedEntry, reading: Reading): Sql {
  const { textColumns } = reading
  const texts = textColumns.map((_, i) => sql`, part.${identifier(`t${i}`)}`).reduce(joined, sql``)
  const vector = sql`part.v`
  return sql`
    select part.v::pg_catalog.text as vector, ${rowDigest(sql`part.id`)} as row ${texts}
    from (
      select ${identifier(entry.vector_column)} as v, ${identifier(entry.content[0]!.name)} as id,
             pg_catalog.row_number() over () as number
             ${textColumns.map((name, i) => sql`, ${cut(name)} as ${identifier(`t${i}`)}`).reduce(joined, sql``)}
      from ${sampled(entry, reading.sample)}
      where ${hasColumns(entry, [])}
      limit ${integer(reading.limit * reading.step * 2)}
    ) as part
    where part.number % ${integer(reading.step)} = ${integer(reading.offset)}
      and ${sizeOf(entry, vector)} = ${integer(entry.dimensions)} and ${normOf(entry, vector)} > 0
      and not coalesce(${isConstant(entry, vector)}, false)
    limit ${integer(reading.limit)}`
}

/** Digest of an id: it tells rows apart without storing ids as they are. Short ids can be guessed from it. */
export function rowDigest(id: Sql): Sql {
  return sql`pg_catalog.left(pg_catalog.md5(${id}::pg_catalog.text), 16)`
}

function cut(name: string): Sql {
  return sql`pg_catalog.left(${identifier(name)}::pg_catalog.text, ${integer(BUDGET.characters + 1)})`
}

/** The bytes of a vector. */
function sendOf(entry: ResolvedEntry, vector: Sql): Sql {
  return sql`${identifier(entry.extension_schema, `${entry.vector_type}_send`)}(${vector})`
}

function joined(all: Sql, one: Sql): Sql {
  return sql`${all}${one}`
}

function listed(all: Sql, one: Sql): Sql {
  return sql`${all}, ${one}`
}
