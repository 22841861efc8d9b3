import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { CALL_COLUMNS } from '../activity/activity-columns.tsx'
import { ActivityFilters } from '../activity/activity-filters.tsx'
import { ActivityList } from '../activity/activity-list.tsx'
import { Latency } from '../activity/latency.tsx'
import type { ActivitySearch } from '../activity/read-activity-search.ts'
import { useSource } from './source.ts'

/** The questions to one source. */
export function ActivityTab() {
  const { id } = useSource()
  const search = useSearch({ from: '/mcp/sources/$id/activity' })
  const navigate = useNavigate()
  const show = (next: ActivitySearch) =>
    void navigate({ to: '/mcp/sources/$id/activity', params: { id }, search: next, replace: true })
  const ofSource = useMemo(() => ({ ...search, type: 'data_sources', target: id }) as const, [search, id])
  return (
    <>
      <ActivityFilters isOfOneSource search={search} onChange={(changed) => show({ ...search, ...changed })} />
      <Latency search={ofSource} hasOutcomes />
      <ActivityList search={ofSource} columns={CALL_COLUMNS} onClear={() => show({})} />
    </>
  )
}
