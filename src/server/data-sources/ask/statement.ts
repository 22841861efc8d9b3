import { identifier, integer, type Sql, script, sql, withValues } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'
import { fromTable, hasColumns } from '../named-columns.ts'
import type { Filter, Scalar } from './filters.ts'
import { asText } from './values.ts'

/** Fixed words of ours; everything else in a statement is a name from the catalogue or a bound value. */
const OPERATORS: Record<ResolvedEntry['metric'], string> = { cosine: '<=>', l2: '<->', inner_product: '<#>' }

export type Question = { entry: ResolvedEntry; vector: string | Buffer; filters: readonly Filter[]; limit: number }

/*
 * Measured with the data of `bench/recall.ts`, 100,000 rows of 384, hits of ten: pgvector's default of 40 finds 0.908
 * of them. Without a filter 100 finds 0.982 and 200 finds 1.000. A filter of 50 % leaves half of what is looked at:
 * 200 finds 0.983, 400 finds 1.000. At 10 % and 400, ten rows fetched hold 0.995 of the right ones, forty 0.998 and
 * eighty 1.000 at twice the time of forty.
 */
const EF_SEARCH = 200
const EF_SEARCH_FILTERED = 400
/** Four times as many as are asked for, up to ten of them and up to twenty. */
const OVERFETCH = [40, 80]

/**
 * Adding nothing to the distance keeps an approximate index from answering; ordinary indexes still help. Only what is
 * answered becomes text: to write out long texts of rows that are then left out took most of the time.
 */
export function exactStatement(question: Question): Sql {
  const { entry, limit } = question
  return sql`
    select ${texts(entry)}, distance from (
      select ${columns(entry)}, ${distance(question)} as distance
      from ${fromTable(entry)}
      where ${matching(question)}
      order by ${distance(question)} + 0, ${idText(entry)}
      limit ${limit}
    ) as found
    where distance < 'infinity'::pg_catalog.float8
    order by distance, 1`
}

/** The nearest by the index, more than asked, then in their true order. */
export function indexStatement(question: Question): Sql {
  return question.filters.length === 0 ? unfilteredStatement(question) : nearStatement(question)
}

/** How many to fetch is written out: the planner would otherwise make a new plan for each question. */
function nearStatement(question: Question): Sql {
  const { entry, limit } = question
  return sql`
    with near as materialized (
      select ${columns(entry)}, ${idText(entry)} as tie, ${distance(question)} as distance
      from ${fromTable(entry)}
      where ${matching(question)}
      order by distance
      limit ${integer(fetched(limit))}
    )
    select ${texts(entry)}, distance from (
      select * from near where distance < 'infinity'::pg_catalog.float8 order by distance, tie limit ${limit}
    ) as found
    order by distance, 1`
}

function fetched(limit: number): number {
  return OVERFETCH.find((rows) => rows >= 4 * limit) ?? 4 * limit
}

const unfiltered = new WeakMap<ResolvedEntry, Map<number, Sql>>()

/** Of the commonest question; put together once for an entry, as long as that is in use. */
function unfilteredStatement(question: Question): Sql {
  const { entry, vector, limit } = question
  const known = unfiltered.get(entry) ?? new Map<number, Sql>()
  unfiltered.set(entry, known)
  const statement = known.get(fetched(limit)) ?? withValues(nearStatement(question), [])
  known.set(fetched(limit), statement)
  return withValues(statement, [vector, limit])
}

/** What the planner expects a filter to leave, and of how many rows. */
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

/** What holds for a connection while it is asked like this. */
export function searchSettings({ entry, filters }: Pick<Question, 'entry' | 'filters'>): Sql {
  const filtered = filters.length > 0
  if (entry.index === null) return filtered ? EXACT_FILTERED : EXACT
  if (entry.index === 'ivfflat') return probeSettings(entry, filtered)
  return filtered ? HNSW_FILTERED : HNSW
}

const EXACT = sql`select ${planning(false)}`
const EXACT_FILTERED = sql`select ${planning(true)}`
const HNSW = hnswSettings(EF_SEARCH, false)
const HNSW_FILTERED = hnswSettings(EF_SEARCH_FILTERED, true)

/** Relaxed order because we sort again. */
function hnswSettings(efSearch: number, filtered: boolean): Sql {
  return sql`
    select ${planning(filtered)},
           pg_catalog.set_config('hnsw.ef_search', '${integer(efSearch)}', false),
           pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', false)`
}

/** A plan for any value would not see how many rows the value of a filter leaves. */
function planning(filtered: boolean): Sql {
  const mode = script(filtered ? 'force_custom_plan' : 'auto')
  return sql`pg_catalog.set_config('plan_cache_mode', '${mode}', false)`
}

/**
 * Of the lists of an IVFFlat index. With rows / 1000 lists a share of 0.2 finds 0.938 of the right rows (0.892 under a
 * filter of 10 %), 0.4 finds 0.990 (0.970), 0.6 finds 1.000 (0.995); with the root of the rows as lists 0.990 (0.958),
 * 0.998 (0.992), 1.000 (1.000). It takes 0.7 of the time of looking at every row: this index cannot be both fast and
 * right where clusters overlap. A fixed number would be all of ten lists and nothing of a thousand.
 */
const PROBED_SHARE = 0.6

function probeSettings({ oid }: ResolvedEntry, filtered: boolean): Sql {
  return sql`
    select ${planning(filtered)}, pg_catalog.set_config('ivfflat.iterative_scan', 'relaxed_order', false),
           pg_catalog.set_config('ivfflat.probes', (
             select pg_catalog.ceil(${PROBED_SHARE}::float8 * coalesce(max(o.option_value::int), 100))::pg_catalog.text
             from pg_catalog.pg_index i
             join pg_catalog.pg_class c on c.oid = i.indexrelid
             join pg_catalog.pg_am m on m.oid = c.relam and m.amname = 'ivfflat'
             left join lateral pg_catalog.pg_options_to_table(c.reloptions) o on o.option_name = 'lists'
             where i.indrelid = ${oid}), false)`
}

function columns({ content }: ResolvedEntry): Sql {
  return content.map(({ name }, i) => sql`${identifier(name)} as ${identifier(`c${i}`)}`).reduce(listed)
}

function texts({ content }: ResolvedEntry): Sql {
  return content.map(({ type }, i) => sql`${asText(`c${i}`, type)} as ${identifier(`c${i}`)}`).reduce(listed)
}

function idText({ content }: ResolvedEntry): Sql {
  return asText(content[0]!.name, content[0]!.type)
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

/** By the column's own type as the catalogue writes it, so that its indexes can be used. */
function matches(entry: ResolvedEntry, { column, values }: Filter): Sql {
  const type = script(entry.filters[column]!.pg_type)
  if (values.length === 1) return sql`${identifier(column)} = ${values[0]}::${type}`
  return sql`${identifier(column)} = any(${values}::${type}[])`
}
