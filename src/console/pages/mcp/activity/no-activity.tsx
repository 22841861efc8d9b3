import { Link } from '@tanstack/react-router'
import { Empty } from '#console/parts/list/empty.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import type { ActivitySearch } from './read-activity-search.ts'

/** Explains why a view shows no call, and what to do next. */
export function NoActivity({ search, onClear }: { search: ActivitySearch; onClear: () => void }) {
  const { type, target, ...narrowing } = search
  const isNarrowed = Object.values(narrowing).some((value) => value !== undefined)
  if (isNarrowed)
    return (
      <Empty title="No call matches these filters">
        <button type="button" className="button" onClick={onClear}>
          Clear filters
        </button>
      </Empty>
    )
  if (type === 'data_sources')
    return (
      <Empty title="No questions yet">
        <p>Ask one on the page of a source or on the command line, or let an agent ask.</p>
        <Copy isBlock text={`svc datasource query ${target ?? 'db_handbook'} "who approves travel?"`} />
        <p>
          <Link to="/mcp/agents">Connect an agent</Link>
        </p>
      </Empty>
    )
  return (
    <Empty title="No function calls yet">
      <p>Functions are code of apps that people and agents call. Questions to data sources are a list of their own.</p>
      <p className="row">
        <Link className="button" to="/mcp/activity" search={{ type: 'data_sources' }}>
          Show questions
        </Link>
        <Link to="/functions">See the functions</Link>
      </p>
    </Empty>
  )
}
