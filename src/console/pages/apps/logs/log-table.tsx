import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { LongTable } from '#console/parts/list/long-table.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import type { LogRecord } from '#contract/apps/logs.ts'
import '#console/styles/logs.css'

type Props = {
  alias: string
  rows: readonly LogRecord[]
  loadMore: (() => void) | undefined
  isLoadingMore: boolean
}

/** Lines of a log, cut to the width of the page. A line opens whole. */
export function LogTable({ alias, ...list }: Props) {
  const [opened, setOpened] = useState<LogRecord>()
  const columns: readonly Column<LogRecord>[] = [
    { head: 'Time', cell: ({ at }) => <LineTime at={at} /> },
    { head: 'Level', cell: ({ level }) => <span className={`level ${level}`}>{level}</span> },
    {
      head: 'Line',
      cell: (line) => (
        <button type="button" className="log-line" onClick={() => setOpened(line)}>
          {line.text === '' ? ' ' : <VisibleText line={line.text.slice(0, 500)} />}
        </button>
      ),
    },
  ]
  return (
    <div className="log-table">
      <LongTable caption={`Log of ${alias}, newest first`} columns={columns} keyOf={({ id }) => id} {...list} />
      {opened && <WholeLine alias={alias} line={opened} onClose={() => setOpened(undefined)} />}
    </div>
  )
}

function LineTime({ at }: { at: string }) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const day = isToday ? '' : `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} `
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').slice(0, 23)} UTC`}>
      {day}
      {date.toLocaleTimeString(undefined, { hour12: false })}
    </time>
  )
}

function WholeLine({ alias, line, onClose }: { alias: string; line: LogRecord; onClose: () => void }) {
  return (
    <Dialog title="Log line" onClose={onClose}>
      <Facts
        of={{
          Time: `${new Date(line.at).toLocaleString()} · ${line.at.replace('T', ' ').slice(0, 23)} UTC`,
          Level: line.level,
          Source: line.source,
          Deploy: line.deploy_id !== null && (
            <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: line.deploy_id }}>
              <code>{line.deploy_id}</code>
            </Link>
          ),
        }}
      />
      <Copy text={line.text} isBlock />
    </Dialog>
  )
}
