import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '#console/parts/page/page.tsx'
import { useHasRole } from '#console/session/session.ts'
import { ACTIVITY_COLUMNS } from './activity-columns.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import { ActivityList } from './activity-list.tsx'
import { Latency } from './latency.tsx'
import type { ActivitySearch } from './read-activity-search.ts'

/** Who called which function or asked which source, when, and with what result. */
export function ActivityPage() {
  const search = useSearch({ from: '/mcp/activity' })
  const navigate = useNavigate()
  const isAdmin = useHasRole('admin')
  const show = (next: ActivitySearch) => void navigate({ to: '/mcp/activity', search: next, replace: true })
  return (
    <Page title="Activity">
      <p className="soft">
        {isAdmin ? 'Calls of everyone in the organization.' : 'Your own calls. Admins see those of everyone.'} Questions
        and answers are never stored.
      </p>
      <ActivityFilters search={search} onChange={(changed) => show({ ...search, ...changed })} />
      <Latency search={search} />
      <ActivityList
        search={search}
        columns={ACTIVITY_COLUMNS}
        onClear={() => show({ type: search.type, target: search.target })}
      />
    </Page>
  )
}
