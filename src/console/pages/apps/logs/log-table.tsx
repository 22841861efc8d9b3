import { useState } from 'react'
import { LongTable } from '#console/parts/list/long-table.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import type { LogRecord } from '#contract/apps/logs.ts'
import { parseLine } from './parse-line.ts'
import { WholeLine } from './whole-line.tsx'
import '#console/styles/logs.css'

type Props = {
  alias: string
  rows: readonly LogRecord[]
  loadMore: (() => void) | undefined
  isLoadingMore: boolean
  /** The id of the line that the address names. */
  marked?: string | undefined
  onFilter: (words: string) => void
  onScroll?: (isAtTop: boolean) => void
}

/** Lines of a log, cut to the width of the page. A line opens whole. */
export function LogTable({ alias, marked, onFilter, ...list }: Props) {
  const [opened, setOpened] = useState<LogRecord>()
  const columns: readonly Column<LogRecord>[] = [
    { head: 'Time', cell: ({ at }) => <LineTime at={at} /> },
    { head: 'Level', cell: ({ level }) => <span className={`level ${level}`}>{level}</span> },
    { head: 'Source', cell: ({ source }) => <span className="soft">{source}</span>, isWide: true },
    {
      head: 'Line',
      cell: (line) => (
        <button
          type="button"
          className={`log-line ${line.level}`}
          aria-current={line.id === marked}
          onClick={() => setOpened(line)}
        >
          <LineText text={line.text} />
        </button>
      ),
    },
  ]
  const close = () => setOpened(undefined)
  const filter = (words: string) => {
    close()
    onFilter(words)
  }
  return (
    <div className="log-table">
      <LongTable caption={`Log of ${alias}, newest first`} columns={columns} keyOf={({ id }) => id} {...list} />
      {opened && <WholeLine alias={alias} line={opened} onFilter={filter} onClose={close} />}
    </div>
  )
}

/** More is not seen in one row. */
const MAX_CHARS = 500

/** The message of a line first, then its fields. A line of words is shown as it is. */
function LineText({ text }: { text: string }) {
  const parsed = parseLine(text)
  if (!parsed) return text === '' ? ' ' : <VisibleText line={text.slice(0, MAX_CHARS)} />
  const fields = parsed.fields.map(({ name, value }) => `${name}=${value}`).join('  ')
  return (
    <>
      <VisibleText line={parsed.message.slice(0, MAX_CHARS)} />{' '}
      <span className="soft">
        <VisibleText line={fields.slice(0, MAX_CHARS)} />
      </span>
    </>
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
