import { identifier, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'
import type { Filter } from './filters.ts'
import { asText } from './values.ts'

/** Fixed words of ours; everything else in a statement is a name from the catalogue or a bound value. */
const OPERATORS: Record<ResolvedEntry['metric'], string> = { cosine: '<=>', l2: '<->', inner_product: '<#>' }

export type Question = { entry: ResolvedEntry; vector: string | Buffer; filters: readonly Filter[]; limit: number }

/** Over-fetch in approximate searches: recall with a filter of 10 % rose from 0.942 to 0.988 with four times k. */
export const OVERFETCH = 4
const OVERFETCH_LEAST = 40
const EF_SEARCH = 200
const EF_SEARCH_FILTERED = 400

/** Adding nothing to the distance keeps an approximate index from answering; ordinary indexes still help. */
export function exactStatement(question: Question): Sql {
  const { entry, limit } = question
  return sql`
    select * from (
      select ${columns(entry)}, ${distance(question)} as distance
      from ${relation(entry)}
      where ${condition(question)}
      order by ${distance(question)} + 0, 1
      limit ${limit}
    ) as found
    where distance < 'infinity'::pg_catalog.float8
    order by distance, 1`
}

/** The nearest by the index, more than asked, then in their true order. */
export function indexStatement(question: Question): Sql {
  const { entry, limit } = question
  return sql`
    with near as materialized (
      select ${columns(entry)}, ${distance(question)} as distance
      from ${relation(entry)}
      where ${condition(question)}
      order by ${distance(question)}
      limit ${Math.max(limit * OVERFETCH, OVERFETCH_LEAST)}
    )
    select * from near where distance < 'infinity'::pg_catalog.float8 order by distance, 1 limit ${limit}`
}

/** What the planner expects a filter to leave, and of how many rows. */
export function estimateStatement(question: Question): Sql {
  return sql`explain (format json) select 1 from ${relation(question.entry)} where ${condition(question)}`
}

/** How many rows the table had when it was last looked at, beside the settings: a trip less. */
export function sizeAnd(settings: Sql, { oid }: ResolvedEntry): Sql {
  return sql`${settings}, (select reltuples::float8 from pg_catalog.pg_class where oid = ${oid}) as rows`
}

type Settings = { until?: 'transaction' | 'session'; filtered?: boolean }

/** Relaxed order because we sort again. */
export function searchSettings(_: 'hnsw', { until = 'transaction', filtered = false }: Settings = {}): Sql {
  const local = script(String(until === 'transaction'))
  const efSearch = script(`'${filtered ? EF_SEARCH_FILTERED : EF_SEARCH}'`)
  return sql`select pg_catalog.set_config('hnsw.ef_search', ${efSearch}, ${local}),
                    pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', ${local})`
}

const PROBED_SHARE = 0.7

export function probeSettings({ oid }: ResolvedEntry): Sql {
  return sql`
    select pg_catalog.set_config('ivfflat.iterative_scan', 'relaxed_order', true),
           pg_catalog.set_config('ivfflat.probes', (
             select pg_catalog.ceil(${PROBED_SHARE}::float8 * coalesce(max(o.option_value::int), 100))::pg_catalog.text
             from pg_catalog.pg_index i
             join pg_catalog.pg_class c on c.oid = i.indexrelid
             join pg_catalog.pg_am m on m.oid = c.relam and m.amname = 'ivfflat'
             left join lateral pg_catalog.pg_options_to_table(c.reloptions) o on o.option_name = 'lists'
             where i.indrelid = ${oid}), true)`
}

function relation({ schema, table }: ResolvedEntry) {
  return identifier(schema, table)
}

function columns({ content }: ResolvedEntry): Sql {
  return content
    .map(({ name, type }, i) => sql`${asText(name, type)} as ${identifier(`c${i}`)}`)
    .reduce((all, one) => sql`${all}, ${one}`)
}

function distance({ entry, vector }: Question): Sql {
  const operator = script(`operator(${quoted(entry.extension_schema)}.${OPERATORS[entry.metric]})`)
  const type = identifier(entry.extension_schema, entry.vector_type)
  return sql`(${identifier(entry.vector_column)} ${operator} ${vector}::${type})`
}

function quoted(name: string): string {
  return identifier(name).text
}

function condition({ entry, filters }: Question): Sql {
  return filters.reduce(
    (all, { column, values }) => sql`${all} and ${identifier(column)} = any(${values}::${arrayOf(entry, column)})`,
    sql`${identifier(entry.vector_column)} is not null`,
  )
}

/** The column's own type as the catalogue writes it, so that its indexes can be used. */
function arrayOf(entry: ResolvedEntry, column: string): Sql {
  return script(`${entry.filters[column]!.pg_type}[]`)
}
