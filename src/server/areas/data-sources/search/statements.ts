import { identifier, integer, type Sql, script, sql, withValues } from '#lib/db/sql.ts'
import { type BoundedCache, createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { asText, contentColumns, contentTexts } from './column-text.ts'
import type { ResolvedEntry } from './entry.ts'
import { conditionOf, type Filter } from './filter-operators.ts'
import type { Scalar } from './filter-types.ts'
import { distanceOperator } from './metrics.ts'
import { fromTable, hasColumns } from './named-columns.ts'
import type { PersonValues } from './person.ts'
import { underPolicies } from './row-security.ts'

/** The search of one entry. Everything else in its statements is a name from the catalogue. */
export type EntryQuery = {
  readonly entry: ResolvedEntry
  readonly vector: string | Buffer
  readonly filters: readonly Filter[]
  readonly limit: number
  /** The claims of the person who asks. Required where the entry tells rows apart by person. */
  readonly person?: PersonValues
  /** Orders equal distances by the text of the id, for types such as json that Postgres cannot order. */
  readonly ordersIdsAsText?: boolean
}

/** A row that was found. Content columns are `c0`, `c1` and so on, as text; `types` is an array of their OIDs. */
export type FoundRow = {
  readonly [column: `c${number}`]: string | null
  readonly types: string
  readonly distance: number
}

/** Stands in a statement for a value that is read from each query it is bound to. */
class Parameter {
  readonly read: (query: EntryQuery) => unknown

  constructor(read: (query: EntryQuery) => unknown) {
    this.read = read
  }
}

const VECTOR = new Parameter(({ vector }) => vector)
const LIMIT = new Parameter(({ limit }) => limit)

/** Rows fetched by the index: four times the hits asked for, for up to ten and for up to twenty hits. */
const FETCHED_ROWS = [40, 80]
const MAX_CACHED_STATEMENTS = 100

type Build = (query: EntryQuery) => Sql

/** Builds each statement once for an entry and the shape of its filters, because building takes longer than binding. */
export function createStatements() {
  const byEntry = new WeakMap<ResolvedEntry, BoundedCache<string, Sql>>()
  const cacheOf = (entry: ResolvedEntry) => {
    const cache = byEntry.get(entry) ?? createBoundedCache<string, Sql>({ max: MAX_CACHED_STATEMENTS })
    byEntry.set(entry, cache)
    return cache
  }
  const boundBy = (name: string, build: Build) => (query: EntryQuery) => {
    const statement = cacheOf(query.entry).getOrMake(`${name} ${shapeOf(query)}`, () => build(query))
    return bind(statement, query)
  }
  return {
    exact: boundBy('exact', exactStatement),
    byIndex: boundBy('index', indexStatement),
    estimate: boundBy('estimate', estimateStatement),
    sampled: (query: EntryQuery, sample: Sample) => bind(sampledStatement(query, sample), query),
  }
}

export type Statements = ReturnType<typeof createStatements>

/** All that the text of a statement depends on besides its entry. */
function shapeOf({ filters, limit, ordersIdsAsText }: EntryQuery): string {
  const base = `${fetchedRows(limit)} ${ordersIdsAsText ?? false}`
  if (filters.length === 0) return base
  return base + JSON.stringify(filters.map(({ column, operator }) => [column, operator]))
}

function bind(statement: Sql, query: EntryQuery): Sql {
  const values = statement.values.map((value) => (value instanceof Parameter ? value.read(query) : value))
  return withValues(statement, values)
}

/**
 * Reads every row that matches. Adding 0 to the distance keeps an approximate index from answering; ordinary indexes
 * still help. Values become text after the limit, because writing out rows that are then left out took most of the time.
 */
function exactStatement(query: EntryQuery): Sql {
  const { entry, ordersIdsAsText } = query
  const id = sql`${identifier(entry.content[0]!.name)}`
  return sql`
    select ${contentTexts(entry)}, distance from (
      select ${contentColumns(entry)}, ${distance(entry)} as distance
      from ${fromTable(entry)}
      where ${matching(query)}
      order by ${distance(entry)} + 0, ${ordersIdsAsText ? asText(id) : sql`c0`}
      limit ${LIMIT}
    ) as found
    where distance < 'infinity'::pg_catalog.float8
    order by distance, ${idOrder('found', query)}`
}

/**
 * Fetches the nearest rows by the index, more than asked for, and puts them in their true order. The number of rows to
 * fetch is a constant: with a parameter the planner would make a new plan for each question.
 */
function indexStatement(query: EntryQuery): Sql {
  const { entry, limit } = query
  return sql`
    with near as materialized (
      select ${contentColumns(entry)}, ${distance(entry)} as distance
      from ${fromTable(entry)}
      where ${matching(query)}
      order by distance
      limit ${integer(fetchedRows(limit))}
    )
    select ${contentTexts(entry)}, distance from (
      select * from near where distance < 'infinity'::pg_catalog.float8
      order by distance, ${idOrder('near', query)} limit ${LIMIT}
    ) as found
    order by distance, ${idOrder('found', query)}`
}

/** Asks the planner how many rows it expects the filters to leave. */
function estimateStatement(query: EntryQuery): Sql {
  return sql`explain (format json) select 1 from ${fromTable(query.entry)} where ${filterCondition(query)}`
}

/** A random part of a table's pages, and the number of matching rows in it at which counting ends. */
type Sample = { readonly percent: number; readonly limit: number }

/** Counts the matching rows of a sample. Policies of the table are evaluated, which the planner cannot always estimate. */
function sampledStatement(query: EntryQuery, { percent, limit }: Sample): Sql {
  return sql`
    select pg_catalog.count(*)::pg_catalog.float8 as rows from (
      select from ${fromTable(query.entry)} tablesample system (${percent})
      where ${matching(query)} limit ${limit}
    ) as sample`
}

/** Fails where the column cannot hold the value. */
export function castStatement(entry: ResolvedEntry, column: string, value: Scalar): Sql {
  return sql`select ${value}::${script(entry.filters[column]!.pg_type)} is null as missing`
}

export function sizeStatement({ oid }: ResolvedEntry): Sql {
  return sql`select reltuples::float8 as rows from pg_catalog.pg_class where oid = ${oid}`
}

/** Estimated number of rows with those of all partitions, because Postgres rarely counts a partitioned table itself. */
export function fullSizeStatement({ oid }: ResolvedEntry): Sql {
  return sql`
    select coalesce(pg_catalog.sum(greatest(c.reltuples, 0)), 0)::pg_catalog.float8 as rows
    from pg_catalog.pg_class as c
    where c.oid = ${oid} or c.relkind = 'r' and c.oid in (select relid from pg_catalog.pg_partition_tree(${oid}))`
}

/** The id as Postgres orders its type. Qualified, because a bare `c0` in ORDER BY would be the text that is returned. */
function idOrder(from: 'near' | 'found', { ordersIdsAsText }: EntryQuery): Sql {
  const id = sql`${identifier(from, 'c0')}`
  return ordersIdsAsText ? asText(id) : id
}

function fetchedRows(limit: number): number {
  return FETCHED_ROWS.find((rows) => rows >= 4 * limit) ?? 4 * limit
}

function distance(entry: ResolvedEntry): Sql {
  const type = identifier(entry.extension_schema, entry.vector_type)
  return sql`(${identifier(entry.vector_column)} ${distanceOperator(entry)} ${VECTOR}::${type})`
}

function matching(query: EntryQuery): Sql {
  const columns = query.filters.map(({ column }) => column)
  const all = sql`${hasColumns(query.entry, columns)} and ${filterCondition(query)}`
  return query.entry.person_settings ? sql`${underPolicies(query.entry)} and ${all}` : all
}

function filterCondition({ entry, filters }: EntryQuery): Sql {
  return filters.reduce(
    (all, filter, i) => sql`${all} and ${conditionOf(entry, filter, parametersOf(i))}`,
    sql`${identifier(entry.vector_column)} is not null`,
  )
}

/** The values of the filter at this position of the query. */
function parametersOf(i: number): { first: Parameter; all: Parameter } {
  return {
    first: new Parameter(({ filters }) => filters[i]?.values[0]),
    all: new Parameter(({ filters }) => filters[i]?.values),
  }
}
