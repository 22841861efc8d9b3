import { type Column, Table } from '#console/parts/list/table.tsx'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { type Draft, type OfferedColumn, offeredColumns } from './draft.ts'

type Props = {
  table: DatabaseTable
  draft: Draft
  faults: (field: string) => string | undefined
  onChange: (changed: Partial<Draft>) => void
}

/** Which columns come back, and which can be filtered on. Everyone who may ask sees what comes back. */
export function ColumnChoices({ table, draft, faults, onChange }: Props) {
  const placeOf = (name: string) => (name === draft.id ? 'id' : name === draft.title ? 'title' : undefined)
  const columns: readonly Column<OfferedColumn>[] = [
    {
      head: 'Column',
      cell: (offered) => <Name offered={offered} fault={faults(`filter_schema.${offered.column.name}`)} />,
    },
    {
      head: 'Comes back',
      cell: ({ column: { name } }) => (
        <label className="tick">
          <input
            type="checkbox"
            aria-label={`${name} comes back`}
            checked={placeOf(name) !== undefined || draft.returned.has(name)}
            disabled={placeOf(name) !== undefined}
            onChange={() => onChange({ returned: toggled(draft.returned, name) })}
          />
          {placeOf(name) !== undefined && <span>as {placeOf(name)}</span>}
        </label>
      ),
    },
    {
      head: 'Filter',
      cell: ({ column: { name }, filter }) =>
        filter === undefined ? (
          <span className="soft">no</span>
        ) : (
          <label className="tick">
            <input
              type="checkbox"
              aria-label={`Filter on ${name}`}
              checked={draft.filters.has(name)}
              onChange={() => onChange({ filters: toggled(draft.filters, name) })}
            />
            <span className="soft">{filter}</span>
          </label>
        ),
    },
  ]
  return (
    <>
      <p className="soft">
        Everyone who may ask this source sees the columns that come back, and no others. Columns that could hold secrets
        or personal data are not chosen.
      </p>
      {faults('content_columns') !== undefined && <p className="fault">{faults('content_columns')}</p>}
      <Table
        caption="Columns of the table"
        columns={columns}
        rows={offeredColumns(table)}
        keyOf={({ column }) => column.name}
      />
    </>
  )
}

function Name({ offered: { column, isSensitive }, fault }: { offered: OfferedColumn; fault: string | undefined }) {
  return (
    <>
      <code>{column.name}</code> <span className="soft">{column.type}</span>
      {isSensitive && <span className="soft">, may be private</span>}
      {fault !== undefined && <span className="fault"> {fault}</span>}
    </>
  )
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return names.symmetricDifference(new Set([name]))
}
