import { useState } from 'react'
import { useLive } from '#console/call/use-live.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { tailLogs } from '#contract/apps/logs.ts'
import { LogTable } from './log-table.tsx'
import type { LogSearch } from './read-log-search.ts'

const FIRST_LINES = 100

type Props = { alias: string; search: LogSearch; onFilter: (words: string) => void }

/**
 * Follows the log, the newest line first. The connection is opened again by itself when it breaks. Lines wait while
 * somebody reads older ones, so that what they read does not move.
 */
export function LiveLogs({ alias, search: { text, level, deploy }, onFilter }: Props) {
  const { events, error, isOpen } = useLive(tailLogs, {
    alias,
    lines: FIRST_LINES,
    ...(text !== undefined && { text }),
    ...(level !== undefined && { level }),
    ...(deploy !== undefined && { deploy_id: deploy }),
  })
  const [pausedAt, setPausedAt] = useState<string>()
  const lines = events.filter((event) => event.type === 'line')
  const shown = pausedAt === undefined ? lines : lines.slice(0, lines.findIndex(({ id }) => id === pausedAt) + 1)
  // The line at which it was paused has fallen out of what is remembered.
  const rows = shown.length === 0 ? lines : shown
  const waiting = lines.length - rows.length
  const dropped = events.reduce((sum, event) => sum + (event.type === 'dropped' ? event.count : 0), 0)
  const scrolled = (isAtTop: boolean) => setPausedAt((before) => (isAtTop ? undefined : (before ?? lines.at(-1)?.id)))
  return (
    <>
      <p className="row" role="status">
        <State isOpen={isOpen} isPaused={pausedAt !== undefined} />
        {lines.length === 0 && isOpen && <span className="soft">Waiting for the first line.</span>}
        {dropped > 0 && <span className="soft">{`${dropped} lines were dropped under pressure.`}</span>}
        {waiting > 0 && (
          <button type="button" className="button small" onClick={() => setPausedAt(undefined)}>
            {`Show ${waiting} new ${waiting === 1 ? 'line' : 'lines'}`}
          </button>
        )}
      </p>
      <Fault of={error} />
      {rows.length > 0 && (
        <LogTable
          alias={alias}
          rows={rows.toReversed()}
          loadMore={undefined}
          isLoadingMore={false}
          onFilter={onFilter}
          onScroll={scrolled}
        />
      )}
    </>
  )
}

function State({ isOpen, isPaused }: { isOpen: boolean; isPaused: boolean }) {
  if (!isOpen) return <Chip tone="unknown">Stopped</Chip>
  return isPaused ? <Chip tone="unknown">Paused while you read</Chip> : <Chip tone="running">Following</Chip>
}
