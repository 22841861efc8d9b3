import { ServiceError } from '#contract/core/errors.ts'
import { readTableName } from '#contract/data-sources/table-name.ts'
import {
  type DatabaseColumn,
  type DatabaseTable,
  listTables,
  MAX_LISTED_COLUMNS,
  MAX_LISTED_TABLES,
  type RowCount,
} from '#contract/database-tables.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { ManagedDb } from '../engine/pools.ts'
import { countSmallTables, isVector } from './count-small-tables.ts'
import { type ExactCounts, type FoundColumn, type FoundTable, findTables } from './store.ts'

/** Most columns that Postgres lets a table have. */
const MAX_COLUMNS = 1_600
const KINDS = { r: 'table', p: 'partitioned_table', v: 'view', m: 'materialized_view', f: 'foreign_table' } as const

type Deps = { readonly openOwner: (orgId: string, name: string) => Promise<ManagedDb> }

export function listTablesRoute({ openOwner }: Deps): Route {
  return route(listTables, async ({ name, table }, { principal }) => {
    const named = table === undefined ? undefined : requireName(table)
    const owner = await openOwner(principal.org_id, name)
    const bounds = { tables: MAX_LISTED_TABLES, columns: named ? MAX_COLUMNS : MAX_LISTED_COLUMNS }
    const { tables, columns } = await findTables(owner, bounds, named)
    if (named && tables.length === 0) throw noSuchTable(table!)
    const byTable = Map.groupBy(columns, (column) => column.table)
    const listed = tables.map((each) => ({ table: each, columns: byTable.get(each.oid) ?? [] }))
    const counts = await countSmallTables(owner, listed)
    const items = listed.map((each) => present(each, counts.get(each.table.oid)))
    return { items, left_out: (tables[0]?.total ?? 0) - tables.length }
  })
}

function requireName(text: string): { schema: string; name: string } {
  const parsed = readTableName(text)
  if (!parsed) throw noSuchTable(text)
  return { schema: parsed.schema ?? 'public', name: parsed.name }
}

function noSuchTable(text: string): ServiceError {
  return new ServiceError('NOT_FOUND', `No such table: ${text}.`)
}

type Listed = { readonly table: FoundTable; readonly columns: readonly FoundColumn[] }

function present({ table, columns }: Listed, counts: ExactCounts | undefined): DatabaseTable {
  const { schema, name, kind, bytes, has_row_security } = table
  const vectors = columns.filter(isVector)
  return {
    schema,
    name,
    kind: KINDS[kind],
    bytes,
    has_row_security,
    rows: counts ? exactly(counts.rows) : estimateOf(table, 1),
    columns: columns.map((column) => presentColumn(table, column, counts?.filled[vectors.indexOf(column)])),
    columns_left_out: (columns[0]?.total ?? 0) - columns.length,
  }
}

function presentColumn(table: FoundTable, column: FoundColumn, filled: number | undefined): DatabaseColumn {
  const { name, type, base_type, category, is_key, size, null_share } = column
  const estimate = () => (null_share === null ? null : estimateOf(table, 1 - null_share))
  return {
    name,
    type,
    base_type,
    category,
    is_key,
    dimensions: isVector(column) && size > 0 ? size : null,
    filled: isVector(column) ? (filled === undefined ? estimate() : exactly(filled)) : null,
  }
}

function exactly(rows: number): RowCount {
  return { rows, is_estimate: false }
}

/** Null before the first analyze, and for views, which have no statistics. */
function estimateOf({ kind, estimated_rows }: FoundTable, share: number): RowCount | null {
  if (kind === 'v' || estimated_rows < 0) return null
  return { rows: Math.round(estimated_rows * share), is_estimate: true }
}
