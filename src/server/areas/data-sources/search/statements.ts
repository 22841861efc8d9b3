import { identifier, integer, type Sql, script, sql, withValues } from '#lib/db/sql.ts'
import { asText, typesOf } from '../answer/values.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Filter, Scalar } from './filters.ts'
import { fromTable, hasColumns } from './named-columns.ts'
import { rowSecuritySetting } from './row-security.ts'

/** Everything else in a statement is a name from the catalogue or a bound value. */
const OPERATORS: Record<ResolvedEntry['metric'], string> = { cosine: '<=>', l2: '<->', inner_product: '<#>' }

export type Question = {
  entry: ResolvedEntry
  vector: string | Buffer
  filters: readonly Filter[]
  limit: number
  /** Orders equal distances by the text of the id, for types such as json that Postgres cannot order. */
  ordersIdsAsText?: boolean
}

/*
 * Measured with the data of `bench/recall/run.ts`, 100,000 rows of 384 dimensions, ten hits: pgvector's default of 40 finds
 * 0.908 of the right rows. Without a filter 100 finds 0.982 and 200 finds 1.000. A filter of 50 % leaves half of the
 * rows the index looks at: 200 finds 0.983, 400 finds 1.000. At 10 % and 400, ten rows fetched hold 0.995 of the right
 * ones, forty 0.998 and eighty 1.000 at twice the time of forty.
 */
const EF_SEARCH = 200
const EF_SEARCH_FILTERED = 400
/** Rows fetched by the index: four times the hits asked for, for up to ten and for up to twenty hits. */
const OVERFETCH = [40, 80]

/**
 * Reads every row that matches. Adding 0 to the distance keeps an approximate index from answering; ordinary indexes
 * still help. Values become text after the limit, because writing out rows that are then left out took most of the time.
 */
export function exactStatement(question: Question): Sql {
  const { entry, limit, ordersIdsAsText } = question
  const id = sql`${identifier(entry.content[0]!.name)}`
  return sql`
    select ${texts(entry)}, distance from (
      select ${columns(entry)}, ${distance(question)} as distance
      from ${fromTable(entry)}
      where ${matching(question)}
      order by ${distance(question)} + 0, ${ordersIdsAsText ? asText(id) : sql`c0`}
      limit ${limit}
    ) as found
    where distance < 'infinity'::pg_catalog.float8
    order by distance, ${idOrder('found', question)}`
}

/** Fetches the nearest rows by the index, more than asked for, and puts them in their true order. */
export function indexStatement(question: Question): Sql {
  return question.filters.length === 0 ? unfilteredStatement(question) : nearStatement(question)
}

/** The number of rows to fetch is a constant: with a parameter the planner would make a new plan for each question. */
function nearStatement(question: Question): Sql {
  const { entry, limit } = question
  return sql`
    with near as materialized (
      select ${columns(entry)}, ${distance(question)} as distance
      from ${fromTable(entry)}
      where ${matching(question)}
      order by distance
      limit ${integer(fetched(limit))}
    )
    select ${texts(entry)}, distance from (
      select * from near where distance < 'infinity'::pg_catalog.float8
      order by distance, ${idOrder('near', question)} limit ${limit}
    ) as found
    order by distance, ${idOrder('found', question)}`
}

/** The id as Postgres orders its type. Qualified, because a bare `c0` in ORDER BY would be the text that is returned. */
function idOrder(from: 'near' | 'found', { ordersIdsAsText }: Question): Sql {
  const id = sql`${identifier(from, 'c0')}`
  return ordersIdsAsText ? asText(id) : id
}

function fetched(limit: number): number {
  return OVERFETCH.find((rows) => rows >= 4 * limit) ?? 4 * limit
}

const unfiltered = new WeakMap<ResolvedEntry, Map<string, Sql>>()

/** The statement of the commonest question, built once for as long as its entry is in use. */
function unfilteredStatement(question: Question): Sql {
  const { entry, vector, limit, ordersIdsAsText } = question
  const statements = unfiltered.get(entry) ?? new Map<string, Sql>()
  unfiltered.set(entry, statements)
  const key = `${fetched(limit)} ${ordersIdsAsText}`
  const statement = statements.get(key) ?? withValues(nearStatement(question), [])
  statements.set(key, statement)
  return withValues(statement, [vector, limit])
}

/** Asks the planner how many rows it expects the filters to leave. */
export function estimateStatement(question: Question): Sql {
  return sql`explain (format json) select 1 from ${fromTable(question.entry)} where ${condition(question)}`
}

/** Fails where the column cannot hold the value. */
export function castStatement(entry: ResolvedEntry, column: string, value: Scalar): Sql {
  return sql`select ${value}::${script(entry.filters[column]!.pg_type)} is null as missing`
}

export function sizeStatement({ oid }: ResolvedEntry): Sql {
  return sql`select reltuples::float8 as rows from pg_catalog.pg_class where oid = ${oid}`
}

/** What must be set on a connection before the statements of this question run on it. */
export function searchSettings({ entry, filters }: Pick<Question, 'entry' | 'filters'>): Sql {
  const filtered = filters.length > 0
  if (entry.index === 'ivfflat') return probeSettings(entry, filtered)
  const { exact, exactFiltered, hnsw, hnswFiltered } = SETTINGS[rowSecuritySetting(entry)]
  if (entry.index === null) return filtered ? exactFiltered : exact
  return filtered ? hnswFiltered : hnsw
}

type RowSecurity = ReturnType<typeof rowSecuritySetting>
/** Built once: a connection is not set again when it gets the very settings it has. */
const SETTINGS = { on: settingsUnder('on'), off: settingsUnder('off') }

function settingsUnder(rowSecurity: RowSecurity) {
  return {
    exact: sql`select ${commonSettings(rowSecurity, false)}`,
    exactFiltered: sql`select ${commonSettings(rowSecurity, true)}`,
    hnsw: hnswSettings(rowSecurity, EF_SEARCH, false),
    hnswFiltered: hnswSettings(rowSecurity, EF_SEARCH_FILTERED, true),
  }
}

/** Relaxed order is enough, because the statement sorts again. */
function hnswSettings(rowSecurity: RowSecurity, efSearch: number, filtered: boolean): Sql {
  return sql`
    select ${commonSettings(rowSecurity, filtered)},
           pg_catalog.set_config('hnsw.ef_search', '${integer(efSearch)}', false),
           pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', false)`
}

/**
 * A filtered question gets its own plan, because a plan for any value does not know how many rows this one leaves.
 * Dates and fractions are written in the form that `values.ts` reads, whatever the database's defaults are.
 */
function commonSettings(rowSecurity: RowSecurity, filtered: boolean): Sql {
  const mode = script(filtered ? 'force_custom_plan' : 'auto')
  return sql`pg_catalog.set_config('plan_cache_mode', '${mode}', false),
           pg_catalog.set_config('row_security', '${script(rowSecurity)}', false),
           pg_catalog.set_config('datestyle', 'ISO', false),
           pg_catalog.set_config('extra_float_digits', '1', false)`
}

/**
 * Share of the lists of an IVFFlat index that is searched. With rows / 1000 lists a share of 0.2 finds 0.938 of the
 * right rows (0.892 under a filter of 10 %), 0.4 finds 0.990 (0.970), 0.6 finds 1.000 (0.995); with the root of the rows as lists 0.990 (0.958),
 * 0.998 (0.992), 1.000 (1.000). It takes 0.7 of the time of looking at every row: this index cannot be both fast and
 * right where clusters overlap. A share, because a fixed number would be all of ten lists and almost none of a thousand.
 */
const PROBED_SHARE = 0.6
/** The number of lists that pgvector makes unless told otherwise. */
const DEFAULT_LISTS = 100

function probeSettings(entry: ResolvedEntry, filtered: boolean): Sql {
  const probes = Math.ceil(PROBED_SHARE * (entry.lists ?? DEFAULT_LISTS))
  return sql`
    select ${commonSettings(rowSecuritySetting(entry), filtered)},
           pg_catalog.set_config('ivfflat.iterative_scan', 'relaxed_order', false),
           pg_catalog.set_config('ivfflat.probes', '${integer(probes)}', false)`
}

function columns({ content }: ResolvedEntry): Sql {
  return content.map(({ name }, i) => sql`${identifier(name)} as ${identifier(`c${i}`)}`).reduce(listed)
}

/** The columns of the subquery as text, under the same names, and their types in the column `types`. */
function texts({ content }: ResolvedEntry): Sql {
  const found = content.map((_, i) => sql`${identifier('found', `c${i}`)}`)
  const values = found.map((column, i) => sql`${asText(column)} as ${identifier(`c${i}`)}`)
  return sql`${values.reduce(listed)}, ${typesOf(found)} as types`
}

function listed(all: Sql, one: Sql): Sql {
  return sql`${all}, ${one}`
}

function distance({ entry, vector }: Question): Sql {
  const operator = script(`operator(${quoted(entry.extension_schema)}.${OPERATORS[entry.metric]})`)
  const type = identifier(entry.extension_schema, entry.vector_type)
  return sql`(${identifier(entry.vector_column)} ${operator} ${vector}::${type})`
}

function quoted(name: string): string {
  return identifier(name).text
}

function matching(question: Question): Sql {
  const filtered = question.filters.map(({ column }) => column)
  return sql`${hasColumns(question.entry, filtered)} and ${condition(question)}`
}

function condition({ entry, filters }: Question): Sql {
  return filters.reduce(
    (all, filter) => sql`${all} and ${matches(entry, filter)}`,
    sql`${identifier(entry.vector_column)} is not null`,
  )
}

/** Compares by the type of the column as the catalogue writes it, so that indexes on the column can be used. */
function matches(entry: ResolvedEntry, { column, values }: Filter): Sql {
  const type = script(entry.filters[column]!.pg_type)
  if (values.length === 1) return sql`${identifier(column)} = ${values[0]}::${type}`
  return sql`${identifier(column)} = any(${values}::${type}[])`
}
