import { Link } from '@tanstack/react-router'
import { Chip } from '#console/parts/list/chip.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { sizeText } from '#console/parts/text/size.ts'
import type { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import { nameOf } from '#contract/data-sources/suggest/suggest-search.ts'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { isOf } from '../prepare/draft.ts'
import { countText, filledText, isVectorColumn } from './count-text.ts'

type Entries = SearchConfiguration['connection_config']['embedding_configs']
type Props = { database: string; tables: readonly DatabaseTable[]; entries: Entries }

const KINDS: Partial<Record<DatabaseTable['kind'], string>> = {
  view: 'view',
  materialized_view: 'materialized view',
  foreign_table: 'foreign table',
  partitioned_table: 'partitioned',
}

/** Tables with rows, sizes, columns and vectors, and the next step of each. */
export function Tables({ database, tables, entries }: Props) {
  const columns: readonly Column<DatabaseTable>[] = [
    { head: 'Table', cell: (table) => <Name table={table} /> },
    { head: 'Rows', cell: ({ rows }) => countText(rows), isNumber: true, isWide: true },
    {
      head: 'Size',
      cell: (table) => <Size table={table} />,
      isNumber: true,
      isWide: true,
    },
    { head: 'Columns', cell: (table) => <Columns table={table} />, isWide: true },
    { head: 'Vectors', cell: (table) => <Vectors table={table} />, isPlain: true },
    {
      head: 'Search',
      cell: (table) => <Next database={database} table={table} entries={entries} />,
      isPlain: true,
    },
  ]
  return <Table isStacked caption={`Tables of ${database}`} columns={columns} rows={tables} keyOf={nameOf} />
}

/** A table that is locked has a size that is not known now. */
function Size({ table: { kind, bytes } }: { table: DatabaseTable }) {
  if (bytes !== null) return sizeText(bytes)
  return <span className="soft">{kind === 'view' || kind === 'foreign_table' ? 'none' : 'unknown'}</span>
}

function Name({ table }: { table: DatabaseTable }) {
  const kind = KINDS[table.kind]
  return (
    <>
      <code>{nameOf(table)}</code>
      {kind !== undefined && <span className="soft"> {kind}</span>}
      {table.has_row_security && <span className="soft"> row-level security</span>}
    </>
  )
}

function Columns({ table: { name, columns, columns_left_out } }: { table: DatabaseTable }) {
  const total = columns.length + columns_left_out
  return (
    <details>
      <summary>
        {total === 1 ? '1 column' : `${total} columns`}
        <span className="visually-hidden"> of {name}</span>
      </summary>
      <ul className="table-columns">
        {columns.map((column) => (
          <li key={column.name}>
            <code>{column.name}</code> <span className="soft">{column.type}</span>
            {column.is_key && <span className="soft"> key</span>}
          </li>
        ))}
        {columns_left_out > 0 && <li className="soft">and {columns_left_out} more</li>}
      </ul>
    </details>
  )
}

function Vectors({ table }: { table: DatabaseTable }) {
  const vectors = table.columns.filter(isVectorColumn)
  if (vectors.length === 0) return <span className="soft">no vector column</span>
  return (
    <ul className="table-vectors">
      {vectors.map((column) => (
        <li key={column.name}>
          <code>{column.name}</code> <span className="soft">{filledText(column, table)}</span>
        </li>
      ))}
    </ul>
  )
}

function Next({ database, table, entries }: { database: string; table: DatabaseTable; entries: Entries }) {
  const name = nameOf(table)
  const isSearched = entries.some((entry) => isOf(entry.table, table))
  return (
    <span className="acts">
      {isSearched && <Chip tone="success">Configured</Chip>}
      {table.columns.some(isVectorColumn) && (
        <Link className="button small" to="/databases/$name/prepare/$table" params={{ name: database, table: name }}>
          Prepare search<span className="visually-hidden"> of {name}</span>
        </Link>
      )}
    </span>
  )
}
