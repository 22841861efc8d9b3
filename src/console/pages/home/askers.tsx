import { Link } from '@tanstack/react-router'
import { type Column, Table } from '#console/parts/table.tsx'
import type { ActivityStatistics } from '#contract/activity.ts'
import { sourceName } from './source-name.ts'

type Asker = ActivityStatistics['people'][number]

/** Lists who asked most in the last seven days, and which source. */
export function Askers({ people }: { people: readonly Asker[] }) {
  return (
    <Table
      caption="Who asked in the last seven days"
      columns={COLUMNS}
      rows={people}
      keyOf={({ user_id }) => user_id ?? 'none'}
    />
  )
}

const COLUMNS: readonly Column<Asker>[] = [
  { head: 'Person', cell: (asker) => <Person asker={asker} /> },
  { head: 'Asked most', cell: ({ most_called }) => sourceName(most_called) },
  { head: 'Questions', cell: ({ total }) => total, isNumber: true },
  { head: 'Failed', cell: ({ failed }) => failed, isNumber: true },
]

function Person({ asker: { user_id, user_name } }: { asker: Asker }) {
  if (user_id === null) return <span className="soft">Apps and runs</span>
  return (
    <Link to="/mcp/activity" search={{ type: 'data_sources', period: 'week', person: user_id }}>
      {user_name ?? 'A former member'}
    </Link>
  )
}
