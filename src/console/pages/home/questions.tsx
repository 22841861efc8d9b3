import { Link } from '@tanstack/react-router'
import { type ActivityStatistics, activityStatistics } from '#contract/activity.ts'
import { useCall } from '../../call/use-call.ts'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useHasRole } from '../../session/session.ts'

/** Questions of the last seven days, by source. Others than admins see their own. */
export function Questions() {
  const isAdmin = useHasRole('admin')
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const statistics = useCall(activityStatistics, { type: 'data_sources', bucket: 'day', timezone: timeZone })
  return (
    <Loaded of={statistics}>
      {(read) => {
        const total = read.buckets.reduce((sum, bucket) => sum + bucket.total, 0)
        if (total === 0) return <NoQuestions />
        return (
          <section aria-label="Questions">
            <StackedBars
              title={isAdmin ? 'Who asked what in the last seven days?' : 'What did you ask in the last seven days?'}
              labels={read.buckets.map(({ start }) => dayOf(start))}
              series={read.targets.map(({ target, counts }) => ({ label: target ?? 'others', values: counts }))}
              unit="questions"
            />
            <Words statistics={read} total={total} />
          </section>
        )
      }}
    </Loaded>
  )
}

function Words({ statistics: { buckets, people }, total }: { statistics: ActivityStatistics; total: number }) {
  const failed = buckets.reduce((sum, { by_outcome }) => sum + by_outcome.failed, 0)
  const names = people.slice(0, 3).map(({ user_name, total: asked }) => `${user_name ?? 'apps and runs'} (${asked})`)
  return (
    <p className="soft">
      {total} questions, {failed === 0 ? 'none failed' : `${failed} failed`}. Most by {names.join(', ')}.{' '}
      <Link to="/mcp/activity" search={{ type: 'data_sources' }}>
        Open Activity
      </Link>
    </p>
  )
}

function NoQuestions() {
  return (
    <section className="card" aria-labelledby="questions">
      <h2 id="questions">Questions</h2>
      <p className="soft">
        Nobody asked a data source in the last seven days. <Link to="/mcp/sources">Open Data sources</Link>
      </p>
    </section>
  )
}

function dayOf(start: string): string {
  return new Date(start).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric' })
}
