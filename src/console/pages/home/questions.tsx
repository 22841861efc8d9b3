import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { dayLabel } from '#console/charts/day-label.ts'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type ActivityStatistics, activityStatistics } from '#contract/activity.ts'
import { Latency } from '../mcp/activity/latency.tsx'
import { describeOutcomes } from './describe-outcomes.ts'

const LAST_WEEK = { type: 'data_sources', period: 'week' } as const

/** Questions of the last seven days, by source. The server counts all for admins, and for others only their own. */
export function Questions() {
  const isAdmin = useHasRole('admin')
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  // Without a time the server counts the last seven days.
  const statistics = useCall(
    activityStatistics,
    { type: 'data_sources', bucket: 'day', timezone: timeZone },
    { poll: 'statistics' },
  )
  return (
    <Loaded of={statistics}>
      {(read) => {
        const total = read.buckets.reduce((sum, bucket) => sum + bucket.total, 0)
        if (total === 0) return <NoQuestions isAdmin={isAdmin} />
        return (
          <section aria-label="Questions" className="charts">
            <StackedBars
              title={isAdmin ? 'Who asked what in the last seven days?' : 'What did you ask in the last seven days?'}
              axis="Questions each day, by data source"
              labels={read.buckets.map(({ start }) => dayLabel(start))}
              series={read.targets.map(({ target, counts }) => ({
                label: target === null ? 'others' : sourceName(target),
                values: counts,
              }))}
              unit="questions"
            />
            <Latency search={LAST_WEEK} />
            <Totals statistics={read} total={total} />
            {isAdmin && <Askers people={read.people} />}
          </section>
        )
      }}
    </Loaded>
  )
}

function Totals({ statistics: { buckets }, total }: { statistics: ActivityStatistics; total: number }) {
  return (
    <p className="soft">
      {describeOutcomes(total, buckets)}.{' '}
      <Link to="/mcp/activity" search={LAST_WEEK}>
        Open Activity
      </Link>
    </p>
  )
}

function NoQuestions({ isAdmin }: { isAdmin: boolean }) {
  return (
    <section className="card" aria-labelledby="questions">
      <h2 id="questions">Questions</h2>
      <p className="soft">
        {isAdmin ? 'Nobody asked' : 'You have not asked'} a data source in the last seven days.{' '}
        <Link to="/mcp/sources">Open Data sources</Link>
      </p>
    </section>
  )
}

type Asker = ActivityStatistics['people'][number]

/** Lists who asked most in the last seven days, and which source. */
function Askers({ people }: { people: readonly Asker[] }) {
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
    <Link to="/mcp/activity" search={{ ...LAST_WEEK, person: user_id }}>
      {user_name ?? 'A former member'}
    </Link>
  )
}

/** Returns the name of a data source as its page shows it. */
function sourceName(target: string): string {
  return target === 'unknown' ? 'no such source' : target.replace(/^db_/, '')
}
