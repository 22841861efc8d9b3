import { useLive } from '#console/call/use-live.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { tailLogs } from '#contract/apps/logs.ts'
import { LogTable } from './log-table.tsx'
import type { LogSearch } from './read-log-search.ts'

const FIRST_LINES = 100

/** Follows the log, the newest line first. The connection is opened again by itself when it breaks. */
export function LiveLogs({ alias, search: { text, level, deploy } }: { alias: string; search: LogSearch }) {
  const { events, error, isOpen } = useLive(tailLogs, {
    alias,
    lines: FIRST_LINES,
    ...(text !== undefined && { text }),
    ...(level !== undefined && { level }),
    ...(deploy !== undefined && { deploy_id: deploy }),
  })
  const rows = events.filter((event) => event.type === 'line').toReversed()
  const dropped = events.reduce((sum, event) => sum + (event.type === 'dropped' ? event.count : 0), 0)
  return (
    <>
      <p className="row" role="status">
        {isOpen ? <Chip tone="running">Following</Chip> : <Chip tone="unknown">Stopped</Chip>}
        {rows.length === 0 && isOpen && <span className="soft">Waiting for the first line.</span>}
        {dropped > 0 && <span className="soft">{`${dropped} lines were dropped under pressure.`}</span>}
      </p>
      <Fault of={error} />
      {rows.length > 0 && <LogTable alias={alias} rows={rows} loadMore={undefined} isLoadingMore={false} />}
    </>
  )
}
